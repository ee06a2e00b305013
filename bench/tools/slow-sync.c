/* Loaded in front of libc: each sync of a file takes SYNC_DELAY_US microseconds longer, as on a slow disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec delay;

__attribute__((constructor)) static void read_delay(void) {
  const char *text = getenv("SYNC_DELAY_US");
  long microseconds = text ? atol(text) : 0;
  delay.tv_sec = microseconds / 1000000;
  delay.tv_nsec = microseconds % 1000000 * 1000;
}

static void wait_for_disk(void) {
  struct timespec rest = delay;
  while (nanosleep(&rest, &rest) == -1 && errno == EINTR) {
  }
}

int fsync(int fd) {
  wait_for_disk();
  return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  wait_for_disk();
  return syscall(SYS_fdatasync, fd);
}
