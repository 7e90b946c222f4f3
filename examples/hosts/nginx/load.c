/* A load generator: posts a file to /score of a server over several connections, and prints how long replies took.
 *
 *     load ADDRESS CONNECTIONS REQUESTS RATE FILE
 *
 * ADDRESS is a port of 127.0.0.1, or the path of a socket; RATE requests a second in all, or 0: each connection sends the next one after a
 * reply.
 *
 * With a rate, a time counts from when the request was due, so that a reply which delays those behind it counts for all of them. Exits with
 * 1 if a reply is no "200 OK".
 *
 *     cc -O2 load.c -lpthread -o load */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, BODY = 1 << 20 };

static char request[BODY + 256];
static size_t request_size;
static const char* address;
static int connections, requests;
static double rate, began, *times; /* ms, by request; negative: failed */

static double now(void) { /* s */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void wait_until(double due) {
  struct timespec t;
  t.tv_sec = (time_t)due;
  t.tv_nsec = (long)((due - (double)t.tv_sec) * 1e9);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int connected(void) {
  struct sockaddr_in port;
  struct sockaddr_un path;
  const int is_path = address[0] == '/', s = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0), yes = 1;
  const struct sockaddr* const to = is_path ? (const struct sockaddr*)&path : (const struct sockaddr*)&port;
  memset(&port, 0, sizeof port);
  port.sin_family = AF_INET;
  port.sin_port = htons((unsigned short)atoi(address));
  port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memset(&path, 0, sizeof path);
  path.sun_family = AF_UNIX;
  strncpy(path.sun_path, address, sizeof path.sun_path - 1);
  if (s >= 0 && connect(s, to, is_path ? sizeof path : sizeof port) == 0) {
    if (!is_path) setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return s;
  }
  if (s >= 0) close(s);
  return -1;
}

static int send_all(int s) {
  size_t sent = 0;
  while (sent < request_size) {
    const ssize_t n = send(s, request + sent, request_size - sent, MSG_NOSIGNAL);
    if (n <= 0) return 0;
    sent += (size_t)n;
  }
  return 1;
}

/* Reads a reply up to its last chunk. Returns whether it is "200 OK". */
static int good_reply(int s) {
  char reply[65536];
  size_t had = 0;
  while (had < sizeof reply - 1) {
    const ssize_t n = recv(s, reply + had, sizeof reply - 1 - had, 0);
    if (n <= 0) return 0;
    had += (size_t)n;
    reply[had] = '\0';
    if (strstr(reply, "\r\n0\r\n\r\n") != NULL) return strncmp(reply, "HTTP/1.1 200 ", 13) == 0;
  }
  return 0;
}

static void* run(void* which) {
  const int first = (int)(size_t)which, s = connected();
  int i;
  for (i = first; i < requests; i += connections) {
    double due = rate > 0 ? began + i / rate : now();
    if (rate > 0 && due > now()) wait_until(due);
    times[i] = s >= 0 && send_all(s) && good_reply(s) ? (now() - due) * 1e3 : -1;
  }
  if (s >= 0) close(s);
  return NULL;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  static char body[BODY];
  pthread_t threads[MOST_CONNECTIONS];
  size_t body_size, head;
  FILE* file;
  int i, failed = 0;
  double seconds;
  if (count == 6) address = words[1], connections = atoi(words[2]), requests = atoi(words[3]), rate = atof(words[4]);
  if (count != 6 || connections < 1 || connections > MOST_CONNECTIONS || requests < 1 || rate < 0) {
    fprintf(stderr, "usage: load ADDRESS CONNECTIONS REQUESTS RATE FILE, up to %d connections\n", MOST_CONNECTIONS);
    return 2;
  }
  file = fopen(words[5], "rb");
  times = calloc((size_t)requests, sizeof *times);
  if (file == NULL || times == NULL) return perror(words[5]), 2;
  body_size = fread(body, 1, sizeof body, file);
  fclose(file);
  head = (size_t)sprintf(request,
                         "POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: %zu\r\n\r\n",
                         body_size);
  memcpy(request + head, body, body_size);
  request_size = head + body_size;
  began = now();
  for (i = 0; i < connections; ++i) {
    if (pthread_create(&threads[i], NULL, run, (void*)(size_t)i) != 0) return fprintf(stderr, "load: no thread\n"), 2;
  }
  for (i = 0; i < connections; ++i) pthread_join(threads[i], NULL);
  seconds = now() - began;
  for (i = 0; i < requests; ++i) failed += times[i] < 0;
  qsort(times, (size_t)requests, sizeof *times, compare);
  printf("%d requests, %d failed, %.0f a second: p50 %.2f ms, p99 %.2f ms, longest %.2f ms\n", requests, failed, requests / seconds,
         times[requests / 2], times[(size_t)requests * 99 / 100], times[requests - 1]);
  free(times);
  return failed > 0;
}
