/* Goes before the instrumented text: which mutant is on, and when a loop is taken for endless. */
#ifdef __wasm__
#define BY_ONE
#else
#define BY_ONE __attribute__((weak)) /* a test and the engine that it links to have the same */
#endif
BY_ONE unsigned by_mutant = 0xeb5a17edu;
BY_ONE unsigned long long by_ticks = 4000000000ull;
#define BY_TICK                         \
  do {                                  \
    if (by_ticks-- == 0) __builtin_trap(); \
  } while (0)

#ifndef __wasm__
char *getenv(const char *);
__attribute__((constructor)) static void by_choose_mutant(void) {
  by_mutant = 0;
  for (const char *at = getenv("BUSYARD_MUTANT"); at && *at; at++) by_mutant = by_mutant * 10 + (unsigned)(*at - '0');
}
#endif
