/*
 * Records every change that a process makes to files below a folder, in the order in which the kernel saw them. Loaded
 * with LD_PRELOAD on Linux. A seccomp filter turns the system calls that change files into a signal, whose handler makes
 * the call and appends a record of it to the trace: Bun makes many of them without libc, so nothing in front of libc's
 * functions would see them. Calls of all threads and processes that share a trace go one after the other.
 *
 *   RECORD_FOLDER   the folder, as a real path
 *   RECORD_TRACE    the file that records are appended to, see recording.ts
 *   RECORD_CONTROL  a file with a struct control
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* What the test changes while the process runs. */
struct control {
  int64_t room;            /* bytes by which files may still grow */
  int64_t operations;      /* the process is killed instead of making one more than so many changes */
  int64_t clock_offset_ms; /* how wrong the clock is */
  int64_t sync_delay_ms;   /* how long a sync takes at least: an answer that does not wait for it comes before it */
};

enum kind { CREATE = 1, WRITE, RESIZE, SYNC, SYNC_FOLDER, RENAME, LINK, UNLINK, MAKE_FOLDER, REMOVE_FOLDER, UNKNOWN };

/* In front of the path and the data of a record. */
struct head {
  uint32_t size; /* of the whole record */
  uint32_t kind;
  uint32_t thread;
  uint32_t path_length;
  uint64_t file; /* its inode */
  int64_t offset; /* where a write begins; the new size of a file */
};

/* As a sixth argument, lets a call pass the filter. */
#define PASS 0x7265636f7264696fUL

static const char *folder;
static size_t folder_length;
static int trace;
static volatile struct control *control;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long pass(long call, const long *a) {
  long result = syscall(call, a[0], a[1], a[2], a[3], a[4], PASS);
  return result == -1 ? -errno : result;
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
  while (flock(trace, LOCK_EX) != 0 && errno == EINTR) {
  }
}

static void unlock(void) {
  flock(trace, LOCK_UN);
  pthread_mutex_unlock(&mutex);
}

/* The folder itself counts as well. */
static int is_below(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == '\0');
}

static int path_of(int fd, char *path) {
  char link[40] = "/proc/self/cwd";
  if (fd != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = '\0';
  return is_below(path);
}

static int resolve(int at, const char *given, char *path) {
  if (given == NULL) return 0;
  if (given[0] == '/') {
    snprintf(path, PATH_MAX, "%s", given);
  } else {
    path_of(at, path);
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%s", given);
  }
  return is_below(path);
}

static void append(struct head head, const char *path, const void *data, size_t length) {
  head.path_length = path == NULL ? 0 : strlen(path);
  head.size = sizeof head + head.path_length + length;
  head.thread = gettid();
  struct iovec parts[] = {{&head, sizeof head}, {(void *)path, head.path_length}, {(void *)data, length}};
  long arguments[6] = {trace, (long)parts, 3};
  if (pass(SYS_writev, arguments) != head.size) abort();
}

static void begin_change(void) {
  lock();
  if (__atomic_fetch_sub(&control->operations, 1, __ATOMIC_SEQ_CST) > 0) return;
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Makes a call on paths, and records it when it succeeds. */
static long change(enum kind kind, long call, const long *a, const char *path, const char *to) {
  begin_change();
  long result = pass(call, a);
  if (result >= 0) append((struct head){.kind = kind}, path, to, to == NULL ? 0 : strlen(to));
  unlock();
  return result;
}

static long on_path(enum kind kind, long call, const long *a, int at, long given) {
  char path[PATH_MAX];
  return resolve(at, (const char *)given, path) ? change(kind, call, a, path, NULL) : pass(call, a);
}

static long on_two_paths(enum kind kind, long call, const long *a, const long names[4]) {
  char from[PATH_MAX], to[PATH_MAX];
  int is_from_here = resolve(names[0], (const char *)names[1], from);
  int is_to_here = resolve(names[2], (const char *)names[3], to);
  if (!is_from_here && !is_to_here) return pass(call, a);
  return change(is_from_here && is_to_here ? kind : UNKNOWN, call, a, from, to);
}

static long on_open(long call, const long *a, int at, long given, int flags) {
  char path[PATH_MAX];
  struct stat before, after;
  if (!(flags & (O_CREAT | O_TRUNC)) || !resolve(at, (const char *)given, path)) return pass(call, a);
  begin_change();
  int is_new = stat(path, &before) != 0;
  long result = pass(call, a);
  if (result >= 0 && fstat(result, &after) == 0) {
    struct head head = {.kind = is_new ? CREATE : RESIZE, .file = after.st_ino};
    if (is_new || before.st_size != after.st_size) append(head, path, NULL, 0);
  }
  unlock();
  return result;
}

static int64_t position_of(long call, const long *a, const struct stat *file) {
  if (fcntl(a[0], F_GETFL) & O_APPEND) return file->st_size;
  return call == SYS_pwrite64 || call == SYS_pwritev ? a[3] : lseek(a[0], 0, SEEK_CUR);
}

/* Whether the disk has no room for what a file grows by. */
static int is_full(int64_t growth) {
  if (growth <= 0) return 0;
  if (growth > control->room) return 1;
  __atomic_fetch_sub(&control->room, growth, __ATOMIC_SEQ_CST);
  return 0;
}

static long on_write(long call, const long *a, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  struct stat file;
  if (!path_of(a[0], path)) return pass(call, a);
  begin_change();
  fstat(a[0], &file);
  int64_t position = position_of(call, a, &file);
  int64_t end = position;
  for (int i = 0; i < count; i++) end += parts[i].iov_len;
  long result = is_full(end - file.st_size) ? -ENOSPC : pass(call, a);
  for (long left = result, i = 0; left > 0; i++) {
    size_t length = (size_t)left < parts[i].iov_len ? (size_t)left : parts[i].iov_len;
    append((struct head){.kind = WRITE, .file = file.st_ino, .offset = position}, path, parts[i].iov_base, length);
    position += length;
    left -= length;
  }
  unlock();
  return result;
}

static long on_write_one(long call, const long *a) {
  struct iovec part = {(void *)a[1], a[2]};
  return on_write(call, a, &part, 1);
}

/* Of a descriptor or of a path, which is its first argument. */
static long on_resize(long call, const long *a) {
  char path[PATH_MAX];
  struct stat before = {0}, after;
  int is_path = call == SYS_truncate;
  if (!(is_path ? resolve(AT_FDCWD, (const char *)a[0], path) : path_of(a[0], path))) return pass(call, a);
  begin_change();
  int is_known = (is_path ? stat(path, &before) : fstat(a[0], &before)) == 0;
  int64_t size = call == SYS_fallocate ? a[2] + a[3] : a[1];
  long result = is_known && is_full(size - before.st_size) ? -ENOSPC : pass(call, a);
  if (result >= 0 && (is_path ? stat(path, &after) : fstat(a[0], &after)) == 0) {
    if (after.st_size < before.st_size) __atomic_fetch_add(&control->room, before.st_size - after.st_size, __ATOMIC_SEQ_CST);
    int is_plain = call != SYS_fallocate || (a[1] & ~FALLOC_FL_KEEP_SIZE) == 0;
    struct head head = {.kind = is_plain ? RESIZE : UNKNOWN, .file = after.st_ino, .offset = after.st_size};
    append(head, path, NULL, 0);
  }
  unlock();
  return result;
}

static long on_sync(long call, const long *a) {
  char path[PATH_MAX];
  struct stat file;
  if (!path_of(a[0], path)) return pass(call, a);
  int64_t delay = control->sync_delay_ms;
  struct timespec time = {delay / 1000, delay % 1000 * 1000000};
  nanosleep(&time, NULL);
  begin_change();
  long result = pass(call, a);
  if (result >= 0 && fstat(a[0], &file) == 0) {
    struct head head = {.kind = S_ISDIR(file.st_mode) ? SYNC_FOLDER : SYNC, .file = file.st_ino};
    append(head, path, NULL, 0);
  }
  unlock();
  return result;
}

/* Programs fall back to writing when copying within the kernel is refused. */
static long on_copy(long call, const long *a) {
  char path[PATH_MAX];
  if (call == SYS_copy_file_range) return -ENOSYS;
  if (call == SYS_pwritev2) return -EOPNOTSUPP;
  if (call == SYS_ioctl) return a[1] == FICLONE || a[1] == FICLONERANGE ? -EOPNOTSUPP : pass(call, a);
  return path_of(a[0], path) ? -EINVAL : pass(call, a);
}

#ifdef SYS_open
#define LEGACY SYS_open, SYS_creat, SYS_rename, SYS_link, SYS_symlink, SYS_unlink, SYS_mkdir, SYS_rmdir,
#else
#define LEGACY
#endif

static const int calls[] = {LEGACY SYS_openat, SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2,
  SYS_ftruncate, SYS_truncate, SYS_fallocate, SYS_fsync, SYS_fdatasync,
#ifdef SYS_renameat
  SYS_renameat,
#endif
  SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_unlinkat, SYS_mkdirat, SYS_copy_file_range, SYS_sendfile, SYS_ioctl};

enum { CALLS = sizeof calls / sizeof calls[0] };

static long answer(long call, const long *a) {
  switch (call) {
#ifdef SYS_open
    case SYS_open: return on_open(call, a, AT_FDCWD, a[0], a[1]);
    case SYS_creat: return on_open(call, a, AT_FDCWD, a[0], O_CREAT | O_TRUNC);
    case SYS_rename: return on_two_paths(RENAME, call, a, (long[]){AT_FDCWD, a[0], AT_FDCWD, a[1]});
    case SYS_link: return on_two_paths(LINK, call, a, (long[]){AT_FDCWD, a[0], AT_FDCWD, a[1]});
    case SYS_symlink: return on_path(UNKNOWN, call, a, AT_FDCWD, a[1]);
    case SYS_unlink: return on_path(UNLINK, call, a, AT_FDCWD, a[0]);
    case SYS_mkdir: return on_path(MAKE_FOLDER, call, a, AT_FDCWD, a[0]);
    case SYS_rmdir: return on_path(REMOVE_FOLDER, call, a, AT_FDCWD, a[0]);
#endif
    case SYS_openat: return on_open(call, a, a[0], a[1], a[2]);
    case SYS_write:
    case SYS_pwrite64: return on_write_one(call, a);
    case SYS_writev:
    case SYS_pwritev: return on_write(call, a, (const struct iovec *)a[1], a[2]);
    case SYS_ftruncate:
    case SYS_truncate:
    case SYS_fallocate: return on_resize(call, a);
    case SYS_fsync:
    case SYS_fdatasync: return on_sync(call, a);
#ifdef SYS_renameat
    case SYS_renameat: return on_two_paths(RENAME, call, a, a);
#endif
    case SYS_renameat2: return on_two_paths(a[4] & RENAME_EXCHANGE ? UNKNOWN : RENAME, call, a, a);
    case SYS_linkat: return on_two_paths(LINK, call, a, a);
    case SYS_symlinkat: return on_path(UNKNOWN, call, a, a[1], a[2]);
    case SYS_unlinkat: return on_path(a[2] & AT_REMOVEDIR ? REMOVE_FOLDER : UNLINK, call, a, a[0], a[1]);
    case SYS_mkdirat: return on_path(MAKE_FOLDER, call, a, a[0], a[1]);
    default: return on_copy(call, a);
  }
}

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number;
  int saved = errno;
  mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
  const greg_t *r = machine->gregs;
  const long arguments[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  machine->gregs[REG_RAX] = answer(info->si_syscall, arguments);
#elif defined(__aarch64__)
  const unsigned long long *r = machine->regs;
  const long arguments[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
  machine->regs[0] = answer(info->si_syscall, arguments);
#else
#error "How arguments are passed to system calls is not known"
#endif
  errno = saved;
}

static int set_action(int number, const struct sigaction *action, struct sigaction *former) {
  int (*next)(int, const struct sigaction *, struct sigaction *) = dlsym(RTLD_NEXT, "sigaction");
  return next(number, action, former);
}

/* Bun handles the signal of a filter as well: the call is not there, it says. */
int sigaction(int number, const struct sigaction *action, struct sigaction *former) {
  return number == SIGSYS && folder != NULL ? 0 : set_action(number, action, former);
}

static void install_filter(void) {
  struct sock_filter filter[2 * CALLS + 6] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS & UINT32_MAX, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  int end = 4;
  for (int i = 0; i < CALLS; i++) {
    filter[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
    filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  }
  filter[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {end, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(121);
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("RECORD_FOLDER");
  if (folder == NULL) return;
  folder_length = strlen(folder);
  trace = open(getenv("RECORD_TRACE"), O_WRONLY | O_APPEND | O_CLOEXEC);
  int shared = open(getenv("RECORD_CONTROL"), O_RDWR | O_CLOEXEC);
  control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  if (trace < 0 || control == MAP_FAILED) _exit(121);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigfillset(&action.sa_mask);
  set_action(SIGSYS, &action, NULL);
  install_filter();
}

int clock_gettime(clockid_t id, struct timespec *time) {
  static int (*next)(clockid_t, struct timespec *);
  if (next == NULL) next = dlsym(RTLD_NEXT, "clock_gettime");
  int result = next(id, time);
  if (control != NULL && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t ns = time->tv_nsec + control->clock_offset_ms % 1000 * 1000000;
    time->tv_sec += control->clock_offset_ms / 1000 + (ns >= 1000000000) - (ns < 0);
    time->tv_nsec = ns - ((ns >= 1000000000) - (ns < 0)) * 1000000000;
  }
  return result;
}
