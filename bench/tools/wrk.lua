-- Sends the requests in a file, over and over, and prints the result as one line of JSON. A line of the file is method,
-- path, headers (separated by "|") and body, separated by tabs.

local function read(line)
  local method, path, headers, body = line:match('^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$')
  local all = { Host = wrk.headers['Host'] }
  for name, value in headers:gmatch('([^:|]+): ([^|]+)') do
    all[name] = value
  end
  return method, path, all, body ~= '' and body or nil
end

function init(args)
  local lines = {}
  for line in io.lines(args[1]) do
    lines[#lines + 1] = line
  end
  if #lines == 1 then -- without a function `request`, wrk sends the same bytes each time and calls no Lua
    wrk.method, wrk.path, wrk.headers, wrk.body = read(lines[1])
    return
  end
  local requests, last = {}, 0
  for index, line in ipairs(lines) do
    requests[index] = wrk.format(read(line))
  end
  request = function()
    last = last % #requests + 1
    return requests[last]
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"bytes":%d,"p50":%.3f,"p99":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    summary.bytes,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.status, -- above 399
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
