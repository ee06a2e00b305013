-- The side of wrk: sends the calls on a tape, over and over, and prints the result as one line of JSON.

function init(args)
  local calls = {}
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%S+) (%S+) (.*)$')
    local headers = { Host = wrk.headers['Host'] }
    if body == '' then
      body = nil
    else
      headers['Content-Type'] = 'application/json'
    end
    calls[#calls + 1] = { method = method, path = path, headers = headers, body = body }
  end
  if #calls == 1 then
    repeat_one(calls[1])
  else
    play(calls)
  end
end

-- Without a function `request`, wrk sends the same bytes each time and calls no Lua.
function repeat_one(call)
  wrk.method, wrk.path, wrk.headers, wrk.body = call.method, call.path, call.headers, call.body
end

function play(calls)
  local requests = {}
  for index, call in ipairs(calls) do
    requests[index] = wrk.format(call.method, call.path, call.headers, call.body)
  end
  local last, count = 0, #requests
  request = function()
    last = last % count + 1
    return requests[last]
  end
end

-- wrk counts a status above 399 as an error. Anything else than 200 is found in the metrics of the service.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"refused":%d,"socketErrors":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
