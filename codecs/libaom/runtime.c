// What libaom's objects ask of a C library, besides what wasi-libc gives (build-avif.ts): memory from the arena, and
// nothing of files and texts, because there are no files, and its log would be read by nobody.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The first byte behind the memory that the module states; wasi-libc's malloc uses what is before it.
extern unsigned char __heap_end;

// Makes the arena reach to `end`; 0 beyond what was reserved for this run.
__attribute__((import_module("arena"), import_name("extendTo"))) extern int extend_to(uintptr_t end);

// Takes the place of wasi-libc's, which grows the memory without asking.
void *sbrk(intptr_t increment) {
  static uintptr_t top;
  if (top == 0) top = (uintptr_t)&__heap_end;
  const uintptr_t from = top;
  if (increment == 0) return (void *)from;
  if (increment < 0 || from + (uintptr_t)increment < from) return (void *)-1;
  if (!extend_to(from + (uintptr_t)increment)) return (void *)-1;
  top = from + (uintptr_t)increment;
  return (void *)from;
}

// Files: none opens, and what is written to one is gone.
#undef stderr
FILE *const stderr = NULL;
FILE *fopen(const char *path, const char *mode) { return NULL; }
int fclose(FILE *from) { return -1; }
int feof(FILE *from) { return 1; }
int fgetc(FILE *from) { return -1; }
int ungetc(int code, FILE *to) { return -1; }
int fputc(int code, FILE *to) { return -1; }
int fseek(FILE *in, long offset, int whence) { return -1; }
size_t fread(void *to, size_t size, size_t count, FILE *from) { return 0; }
size_t fwrite(const void *from, size_t size, size_t count, FILE *to) { return 0; }
int fscanf(FILE *from, const char *format, ...) { return -1; }
int fprintf(FILE *to, const char *format, ...) { return 0; }
int fiprintf(FILE *to, const char *format, ...) { return 0; }
int __small_fprintf(FILE *to, const char *format, ...) { return 0; }

// Texts: details of errors, of which only the code is read, and numbers in files.
int vsnprintf(char *to, size_t size, const char *format, va_list values) {
  if (size > 0) *to = 0;
  return 0;
}
int snprintf(char *to, size_t size, const char *format, ...) {
  if (size > 0) *to = 0;
  return 0;
}
long strtol(const char *text, char **end, int base) { return 0; }
unsigned long strtoul(const char *text, char **end, int base) { return 0; }
