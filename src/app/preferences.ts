/** Small user preferences in local storage. Without storage they last until the page is left. */
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
    // Only the preference is lost.
  }
}
