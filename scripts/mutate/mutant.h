/* Goes before the instrumented text: which mutant is on, where the run has been, and when a loop is taken for endless. */
#ifdef __wasm__
#define BY_ONE
#else
#define BY_ONE __attribute__((weak)) /* a test and the engine that it links to have the same */
#endif
#define BY_MOST 32768
BY_ONE unsigned by_mutant = 0xeb5a17edu;
BY_ONE unsigned char by_reached[BY_MOST];
BY_ONE unsigned long long by_ticks = 4000000000ull;
#define BY_ON(number) (by_reached[number] = 1, by_mutant == (number))
#define BY_TICK                         \
  do {                                  \
    if (by_ticks-- == 0) __builtin_trap(); \
  } while (0)

#ifdef __wasm__
/* Where the host finds them. */
__attribute__((export_name("by_mutant_at"))) unsigned *by_mutant_at(void) { return &by_mutant; }
__attribute__((export_name("by_reached_at"))) unsigned char *by_reached_at(void) { return by_reached; }
__attribute__((export_name("by_ticks_at"))) unsigned long long *by_ticks_at(void) { return &by_ticks; }
#else
/* By names of their own: a test says by itself which headers it wants, and what is called open. */
char *by_getenv(const char *) __asm__("getenv");
void *by_fopen(const char *, const char *) __asm__("fopen");
unsigned long by_fwrite(const void *, unsigned long, unsigned long, void *) __asm__("fwrite");
int by_fclose(void *) __asm__("fclose");

__attribute__((constructor)) static void by_choose_mutant(void) {
  by_mutant = 0;
  for (const char *at = by_getenv("BUSYARD_MUTANT"); at && *at; at++) by_mutant = by_mutant * 10 + (unsigned)(*at - '0');
}

/* Adds to the file that the environment names at which places the run has been. */
__attribute__((destructor)) static void by_tell_reached(void) {
  const char *path = by_getenv("BUSYARD_REACHED");
  void *file = path && *path ? by_fopen(path, "ab") : 0;
  if (!file) return;
  by_fwrite(by_reached, 1, sizeof by_reached, file);
  by_fclose(file);
}
#endif
