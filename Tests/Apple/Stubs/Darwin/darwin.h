// What the sources use of Apple's libc, declared as in the headers of the macOS SDK. Tags of structs
// have a name of their own (APPLE), because the compiler compares those of Linux's libc with them.
#ifndef APPLE_DARWIN_H
#define APPLE_DARWIN_H

#define APPLE(name) __attribute__((swift_name(#name))) apple_##name

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef int dev_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef unsigned long long ino_t;
typedef long long blkcnt_t;
typedef int blksize_t;
typedef long time_t;
typedef int suseconds_t;
typedef unsigned long clock_t;

// sys/errno.h
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOSPC 28
#define ESPIPE 29
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EINPROGRESS 36
#define ENOTSUP 45
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENOTEMPTY 66
#define EDQUOT 69

// time.h, sys/time.h
struct APPLE(timespec) {
  time_t tv_sec;
  long tv_nsec;
};
struct APPLE(timeval) {
  time_t tv_sec;
  suseconds_t tv_usec;
};
struct APPLE(tm) {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  char *tm_zone;
};
typedef enum {
  _CLOCK_REALTIME = 0,
  _CLOCK_MONOTONIC = 6,
  _CLOCK_MONOTONIC_RAW = 4,
  _CLOCK_MONOTONIC_RAW_APPROX = 5,
  _CLOCK_UPTIME_RAW = 8,
  _CLOCK_UPTIME_RAW_APPROX = 9,
  _CLOCK_PROCESS_CPUTIME_ID = 12,
  _CLOCK_THREAD_CPUTIME_ID = 16
} clockid_t;

int clock_gettime(clockid_t clock, struct apple_timespec *time);
uint64_t clock_gettime_nsec_np(clockid_t clock);
int nanosleep(const struct apple_timespec *requested, struct apple_timespec *remaining);
time_t time(time_t *);
struct apple_tm *gmtime_r(const time_t *restrict, struct apple_tm *restrict);
clock_t clock(void);

// sys/stat.h
struct APPLE(stat) {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct apple_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags, st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *path, struct apple_stat *status);
int lstat(const char *path, struct apple_stat *status);
int fstat(int file, struct apple_stat *status);
int fstatat(int folder, const char *path, struct apple_stat *status, int flags);
int mkdir(const char *path, mode_t mode);
int mkdirat(int folder, const char *path, mode_t mode);
int fchmodat(int folder, const char *path, mode_t mode, int flags);
int chmod(const char *path, mode_t mode);
int fchmod(int file, mode_t mode);
mode_t umask(mode_t mode);

// fcntl.h, sys/file.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_REMOVEDIR 0x0080
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_NOCACHE 48
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define F_DUPFD_CLOEXEC 67
#define FD_CLOEXEC 1
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int file, int operation);

// unistd.h
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK (1 << 2)
#define W_OK (1 << 1)
#define F_OK 0
#define _SC_PAGESIZE 29
#define _SC_NPROCESSORS_ONLN 58
int access(const char *path, int mode);
int close(int file);
int dup2(int, int);
int fsync(int file);
int ftruncate(int file, off_t bytes);
pid_t getpgid(pid_t process);
pid_t getpid(void);
uid_t getuid(void);
uid_t geteuid(void);
int isatty(int file);
int gethostname(char *name, size_t bytes);
int link(const char *, const char *);
off_t lseek(int file, off_t offset, int whence);
int pipe(int[2]);
ssize_t pread(int file, void *bytes, size_t count, off_t offset);
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset);
ssize_t read(int file, void *bytes, size_t count);
ssize_t write(int file, const void *bytes, size_t count);
long sysconf(int name);
int unlink(const char *path);
int rmdir(const char *path);
int usleep(unsigned int microseconds);
int unlinkat(int folder, const char *path, int flags);
void _exit(int status) __attribute__((noreturn));

// sys/uio.h
struct APPLE(iovec) {
  void *iov_base;
  size_t iov_len;
};
ssize_t preadv(int file, const struct apple_iovec *parts, int count, off_t offset);
ssize_t pwritev(int file, const struct apple_iovec *parts, int count, off_t offset);
ssize_t writev(int file, const struct apple_iovec *parts, int count);

// stdio.h
typedef struct __sFILE {
  unsigned char *_p;
} FILE;
extern FILE *__stdinp;
extern FILE *__stdoutp;
extern FILE *__stderrp;
#define stdin __stdinp
#define stdout __stdoutp
#define stderr __stderrp
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int fclose(FILE *);
int fflush(FILE *);
FILE *fopen(const char *restrict path, const char *restrict mode);
size_t fread(void *restrict bytes, size_t size, size_t items, FILE *restrict file);
size_t fwrite(const void *restrict bytes, size_t size, size_t items, FILE *restrict file);
int fputs(const char *restrict, FILE *restrict);
char *fgets(char *restrict, int, FILE *restrict);
int rename(const char *from, const char *to);
int renameat(int, const char *, int, const char *);

// stdlib.h, string.h
void abort(void) __attribute__((noreturn));
void exit(int) __attribute__((noreturn));
int atexit(void (*)(void));
void *malloc(size_t bytes);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t bytes);
void free(void *memory);
int posix_memalign(void **memory, size_t alignment, size_t bytes);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
char *realpath(const char *restrict path, char *restrict resolved);
char *mkdtemp(char *);
int mkstemp(char *);
double strtod(const char *, char **);
void arc4random_buf(void *bytes, size_t count);
void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *, const void *, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *bytes, int value, size_t count);
void *memmem(const void *big, size_t bigCount, const void *little, size_t littleCount);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t count);
char *strdup(const char *text);
char *strerror(int code);
int strerror_r(int code, char *text, size_t bytes);
size_t strlen(const char *text);

// math.h
extern double acos(double);
extern double cos(double);
extern double exp(double);
extern double exp2(double);
extern double expm1(double);
extern double erf(double);
extern double erfc(double);
extern double floor(double);
extern double ceil(double);
extern double lgamma(double);
extern double log(double);
extern double log10(double);
extern double log1p(double);
extern double log2(double);
extern double pow(double, double);
extern double round(double);
extern double sin(double);
extern double sqrt(double);

// sys/mman.h
#define PROT_NONE 0x00
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
#define MAP_FIXED 0x0010
#define MAP_ANON 0x1000
#define MAP_ANONYMOUS MAP_ANON
#define MADV_NORMAL 0
#define MADV_RANDOM 1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MADV_FREE 5
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int munmap(void *address, size_t bytes);
int mprotect(void *address, size_t bytes, int protection);
int madvise(void *address, size_t bytes, int advice);

// sys/resource.h
typedef uint64_t rlim_t;
struct APPLE(rlimit) {
  rlim_t rlim_cur, rlim_max;
};
struct APPLE(rusage) {
  struct apple_timeval ru_utime, ru_stime;
  long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock,
      ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN -1
#define RLIMIT_AS 5
#define RLIMIT_NOFILE 8
int getloadavg(double[], int);
int getrlimit(int resource, struct apple_rlimit *limit);
int setrlimit(int resource, const struct apple_rlimit *limit);
int getrusage(int who, struct apple_rusage *usage);

// sys/sysctl.h
int sysctlbyname(const char *name, void *old, size_t *oldBytes, void *new_, size_t newBytes);

// signal.h, sys/wait.h
#define SIGHUP 1
#define SIGINT 2
#define SIGABRT 6
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGTERM 15
#define SIG_SETMASK 3
#define IPPROTO_TCP 6
#define TCP_NODELAY 0x01
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
typedef uint32_t sigset_t;
typedef void (*sig_t)(int);
void (*signal(int number, void (*handler)(int)))(int);
int kill(pid_t process, int number);
int raise(int number);
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int number);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
pid_t waitpid(pid_t, int *, int);

// dirent.h
typedef struct APPLE(_dirdesc) {
  int __dd_fd;
} DIR;
struct APPLE(dirent) {
  ino_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen, d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
DIR *opendir(const char *path);
DIR *fdopendir(int file);
struct apple_dirent *readdir(DIR *folder);
int closedir(DIR *folder);
void rewinddir(DIR *folder);
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10

// sys/mount.h, sys/statvfs.h
struct APPLE(statvfs) {
  unsigned long f_bsize, f_frsize;
  unsigned int f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
  unsigned long f_fsid, f_flag, f_namemax;
};
int statvfs(const char *restrict path, struct apple_statvfs *restrict status);
int fstatvfs(int file, struct apple_statvfs *status);

// glob.h
typedef struct APPLE(glob_t) {
  size_t gl_pathc;
  int gl_matchc;
  size_t gl_offs;
  int gl_flags;
  char **gl_pathv;
} glob_t;
int glob(
    const char *restrict pattern, int flags, int (*_Nullable error)(const char *, int),
    glob_t *restrict found);
void globfree(glob_t *found);

// sys/ioctl.h
struct APPLE(winsize) {
  unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

// sys/socket.h, sys/un.h, netdb.h, poll.h
typedef uint8_t sa_family_t;
typedef uint32_t socklen_t;
struct APPLE(sockaddr) {
  uint8_t sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct APPLE(sockaddr_un) {
  unsigned char sun_len;
  sa_family_t sun_family;
  char sun_path[104];
};
struct APPLE(addrinfo) {
  int ai_flags, ai_family, ai_socktype, ai_protocol;
  socklen_t ai_addrlen;
  char *ai_canonname;
  struct apple_sockaddr *ai_addr;
  struct apple_addrinfo *ai_next;
};
struct APPLE(pollfd) {
  int fd;
  short events, revents;
};
typedef unsigned int nfds_t;
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_ERROR 0x1007
#define SO_NOSIGPIPE 0x1022
#define SO_RCVTIMEO 0x1006
#define SO_REUSEADDR 0x0004
#define SO_SNDTIMEO 0x1005
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define POLLIN 0x0001
#define POLLPRI 0x0002
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLNVAL 0x0020
int connect(int, const struct apple_sockaddr *, socklen_t);
int getsockopt(int, int, int, void *, socklen_t *);
int setsockopt(int, int, int, const void *, socklen_t);
ssize_t recv(int, void *, size_t, int);
ssize_t send(int, const void *, size_t, int);
int shutdown(int, int);
int socket(int, int, int);
int bind(int, const struct apple_sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct apple_sockaddr *, socklen_t *);
int socketpair(int, int, int, int *);
int getaddrinfo(
    const char *restrict, const char *restrict, const struct apple_addrinfo *restrict,
    struct apple_addrinfo **restrict);
void freeaddrinfo(struct apple_addrinfo *);
const char *gai_strerror(int);
int poll(struct apple_pollfd *, nfds_t, int);

// dlfcn.h
#define RTLD_LAZY 0x1
#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
#define RTLD_GLOBAL 0x8
int dlclose(void *handle);
char *dlerror(void);
void *dlopen(const char *path, int mode);
void *dlsym(void *handle, const char *symbol);

// pthread.h, sched.h
#pragma clang assume_nonnull begin
struct APPLE(_opaque_pthread_t) {
  long __sig;
  void *__cleanup_stack;
  char __opaque[8176];
};
typedef struct apple__opaque_pthread_t *pthread_t;
typedef struct APPLE(_opaque_pthread_attr_t) {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
typedef struct APPLE(_opaque_pthread_mutex_t) {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct APPLE(_opaque_pthread_mutexattr_t) {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
typedef struct APPLE(_opaque_pthread_cond_t) {
  long __sig;
  char __opaque[40];
} pthread_cond_t;
typedef struct APPLE(_opaque_pthread_condattr_t) {
  long __sig;
  char __opaque[8];
} pthread_condattr_t;
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
#define PTHREAD_CREATE_JOINABLE 1
#define PTHREAD_CREATE_DETACHED 2
typedef enum : unsigned int {
  QOS_CLASS_USER_INTERACTIVE = 0x21,
  QOS_CLASS_USER_INITIATED = 0x19,
  QOS_CLASS_DEFAULT = 0x15,
  QOS_CLASS_UTILITY = 0x11,
  QOS_CLASS_BACKGROUND = 0x09,
  QOS_CLASS_UNSPECIFIED = 0x00
} qos_class_t;
int pthread_set_qos_class_self_np(qos_class_t, int);
int pthread_attr_set_qos_class_np(pthread_attr_t *, qos_class_t, int);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_create(
    pthread_t _Nullable *_Nonnull restrict, const pthread_attr_t *_Nullable restrict,
    void *_Nullable (*_Nonnull)(void *_Nonnull), void *_Nullable restrict);
int pthread_detach(pthread_t);
int pthread_join(pthread_t, void *_Nullable *_Nullable);
pthread_t pthread_self(void);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_init(
    pthread_mutex_t *restrict, const pthread_mutexattr_t *_Nullable restrict);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_init(
    pthread_cond_t *restrict, const pthread_condattr_t *_Nullable restrict);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *restrict, pthread_mutex_t *restrict);
typedef struct APPLE(_opaque_pthread_rwlock_t) {
  long __sig;
  char __opaque[192];
} pthread_rwlock_t;
typedef struct APPLE(_opaque_pthread_rwlockattr_t) {
  long __sig;
  char __opaque[16];
} pthread_rwlockattr_t;
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_init(
    pthread_rwlock_t *restrict, const pthread_rwlockattr_t *_Nullable restrict);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
#pragma clang assume_nonnull end
int sched_yield(void);

// os/lock.h
#pragma clang assume_nonnull begin
typedef struct APPLE(os_unfair_lock_s) {
  uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;
void os_unfair_lock_lock(os_unfair_lock_t lock);
_Bool os_unfair_lock_trylock(os_unfair_lock_t lock);
void os_unfair_lock_unlock(os_unfair_lock_t lock);
#pragma clang assume_nonnull end

#endif
