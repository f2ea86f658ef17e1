/** Small choices of the user, kept in the browser. A browser that refuses storage only forgets them. */
const PREFIX = 'busyard.';

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Nothing is lost but the preference itself.
  }
}
