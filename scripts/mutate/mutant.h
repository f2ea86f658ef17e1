/* Goes before the instrumented text: which mutant is on, where the run has been, and when a loop is taken for endless. */
#ifdef __wasm__
#define SIM_ONE
#else
#define SIM_ONE __attribute__((weak)) /* a test and the engine that it links to have the same */
#endif
#define SIM_MOST 32768
SIM_ONE unsigned sim_mutant = 0xeb5a17edu;
SIM_ONE unsigned char sim_reached[SIM_MOST];
SIM_ONE unsigned long long sim_ticks = 4000000000ull;
#define SIM_ON(number) (sim_reached[number] = 1, sim_mutant == (number))
#define SIM_TICK                         \
  do {                                  \
    if (sim_ticks-- == 0) __builtin_trap(); \
  } while (0)

#ifdef __wasm__
/* Where the host finds them. */
__attribute__((export_name("sim_mutant_at"))) unsigned *sim_mutant_at(void) { return &sim_mutant; }
__attribute__((export_name("sim_reached_at"))) unsigned char *sim_reached_at(void) { return sim_reached; }
__attribute__((export_name("sim_ticks_at"))) unsigned long long *sim_ticks_at(void) { return &sim_ticks; }
#else
/* By names of their own: a test says by itself which headers it wants, and what is called open. */
char *sim_getenv(const char *) __asm__("getenv");
void *sim_fopen(const char *, const char *) __asm__("fopen");
unsigned long sim_fwrite(const void *, unsigned long, unsigned long, void *) __asm__("fwrite");
int sim_fclose(void *) __asm__("fclose");

__attribute__((constructor)) static void sim_choose_mutant(void) {
  sim_mutant = 0;
  for (const char *at = sim_getenv("BUSYARD_MUTANT"); at && *at; at++) sim_mutant = sim_mutant * 10 + (unsigned)(*at - '0');
}

/* Adds to the file that the environment names at which places the run has been. */
__attribute__((destructor)) static void sim_tell_reached(void) {
  const char *path = sim_getenv("BUSYARD_REACHED");
  void *file = path && *path ? sim_fopen(path, "ab") : 0;
  if (!file) return;
  sim_fwrite(sim_reached, 1, sizeof sim_reached, file);
  sim_fclose(file);
}
#endif
