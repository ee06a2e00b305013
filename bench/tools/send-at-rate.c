/*
 * Sends requests at a constant rate and prints the latencies as one line of JSON, as wrk.lua does:
 *
 *   send-at-rate <port> <file of requests> <connections> <seconds> <requests per second>
 *
 * The file has the format that wrk.lua reads, without headers. A latency counts from the time at which the request was
 * due: if all connections wait for responses, the time until one is free counts, too. Responses must be shorter than
 * 64 KB, and have a Content-Length.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  char *bytes;
  size_t length;
} Request;

typedef struct {
  int socket;
  int64_t due_at;
  size_t length;
  char response[65536];
} Connection;

static Request *requests;
static size_t request_count;
/* The connections that wait for no response, as a ring: the one that has been free for longest is used next. */
static Connection **free_connections;
static int first_free, free_count, connection_count;
/* In ns. */
static int64_t *latencies;
static int64_t answered, refused, received;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void read_requests(const char *path, int port) {
  FILE *file = fopen(path, "r");
  if (file == NULL) fail(path);
  char *line = NULL;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, file)) > 0;) {
    if (line[length - 1] == '\n') line[length - 1] = '\0';
    char *rest = line;
    const char *method = strsep(&rest, "\t"), *target = strsep(&rest, "\t");
    strsep(&rest, "\t"); /* Content-Type, if there is a body */
    const char *body = rest == NULL ? "" : rest;
    const char *type = *body == '\0' ? "" : "Content-Type: application/json\r\n";
    Request request;
    int made = asprintf(&request.bytes, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: %zu\r\n\r\n%s", method,
                        target, port, type, strlen(body), body);
    if (made < 0) fail("asprintf");
    request.length = made;
    requests = realloc(requests, (request_count + 1) * sizeof(Request));
    requests[request_count++] = request;
  }
  fclose(file);
}

static void open_connection(Connection *connection, int port, int epoll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connection->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(connection->socket, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  int on = 1;
  setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(connection->socket, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->socket, &event) < 0) fail("epoll_ctl");
  free_connections[free_count++] = connection;
}

static void send_request(const Request *request, int64_t due_at) {
  Connection *connection = free_connections[first_free];
  first_free = (first_free + 1) % connection_count;
  free_count--;
  connection->due_at = due_at;
  if (write(connection->socket, request->bytes, request->length) != (ssize_t)request->length) fail("write");
}

static bool is_complete(const Connection *connection) {
  const char *end = strstr(connection->response, "\r\n\r\n");
  const char *length = strcasestr(connection->response, "\r\ncontent-length:");
  if (end == NULL || length == NULL || length > end) return false;
  return connection->length >= end + 4 - connection->response + strtoul(length + 17, NULL, 10);
}

static void receive(Connection *connection) {
  size_t room = sizeof connection->response - 1 - connection->length;
  ssize_t length = read(connection->socket, connection->response + connection->length, room);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) fail("read");
  received += length;
  connection->length += length;
  connection->response[connection->length] = '\0';
  if (!is_complete(connection)) return;
  if (connection->response[9] >= '4') refused++; /* "HTTP/1.1 4" */
  latencies[answered++] = read_clock() - connection->due_at;
  connection->length = 0;
  free_connections[(first_free + free_count++) % connection_count] = connection;
}

static int compare(const void *one, const void *other) {
  int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  if (count != 6) return 2;
  int port = atoi(arguments[1]);
  connection_count = atoi(arguments[3]);
  int64_t total = atof(arguments[4]) * atof(arguments[5]);
  double gap = 1e9 / atof(arguments[5]);
  read_requests(arguments[2], port);
  int epoll = epoll_create1(0);
  Connection *connections = calloc(connection_count, sizeof(Connection));
  free_connections = calloc(connection_count, sizeof(Connection *));
  latencies = calloc(total, sizeof(int64_t));
  for (int n = 0; n < connection_count; n++) open_connection(&connections[n], port, epoll);

  int64_t began = read_clock(), sent = 0;
  while (answered < total) {
    int64_t wait = 10000000000LL; /* for a response */
    while (sent < total && free_count > 0) {
      int64_t due_at = began + (int64_t)(sent * gap);
      wait = due_at - read_clock();
      if (wait > 0) break;
      send_request(&requests[sent++ % request_count], due_at);
      wait = 10000000000LL;
    }
    struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    struct epoll_event events[256];
    int ready = epoll_pwait2(epoll, events, 256, &timeout, NULL);
    if (ready == 0 && (sent == total || free_count == 0)) fail("no response in 10 s");
    for (int n = 0; n < ready; n++) receive(events[n].data.ptr);
  }
  double seconds = (read_clock() - began) / 1e9;
  qsort(latencies, answered, sizeof(int64_t), compare);
  printf("{\"requests\":%ld,\"seconds\":%.6f,\"bytes\":%ld,\"p50\":%.3f,\"p99\":%.3f,\"refused\":%ld,\"broken\":0}\n", answered,
         seconds, received, latencies[answered / 2] / 1e6, latencies[answered * 99 / 100] / 1e6, refused);
}
