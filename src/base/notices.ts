/**
 * What the page has to say outside its panels. Errors with a place go where the cause is; what concerns
 * the whole page (a refused file, full storage) is a banner under the top bar; a done deed is a toast;
 * what sighted users see happen is spoken through one polite live region.
 */
import { createStore } from './store';

export interface NoticeAction {
  readonly title: string;
  run(): void;
}

export interface Banner {
  readonly id: string;
  readonly kind: 'error' | 'warning' | 'note';
  readonly title: string;
  /** JSON pointer or file position of the cause. */
  readonly place?: string;
  /** One or more sentences: what rule was broken, what is kept. */
  readonly detail?: string;
  readonly actions?: readonly NoticeAction[];
  /** A banner whose cause persists cannot be closed by hand. */
  readonly sticky?: boolean;
  /** About what was asked for here: it goes when something else is opened or gone to. */
  readonly passing?: boolean;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
}

export interface Notices {
  readonly banners: readonly Banner[];
  readonly toasts: readonly Toast[];
  /** The last sentence spoken; `turn` distinguishes a repeated sentence. */
  readonly spoken: { readonly text: string; readonly turn: number };
}

export const notices = createStore<Notices>({
  banners: [],
  toasts: [],
  spoken: { text: '', turn: 0 },
});

/** Shows a banner, in place of an earlier one with the same id. */
export function showBanner(banner: Banner): void {
  notices.setState(({ banners }) => ({
    banners: [...banners.filter((other) => other.id !== banner.id), banner],
  }));
}

export function closeBanner(id: string): void {
  if (!notices.getState().banners.some((banner) => banner.id === id)) return;
  notices.setState(({ banners }) => ({ banners: banners.filter((banner) => banner.id !== id) }));
}

export function closeTransientToasts(): void {
  notices.setState(({ banners }) => ({ banners: banners.filter(({ passing }) => !passing) }));
}

let nextToast = 1;

/** Shows a short confirmation, in place of the same one; the page takes it away again after a while. */
export function showToast(text: string): void {
  const toast = { id: nextToast++, text };
  notices.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.text !== text).slice(-2), toast],
  }));
}

export function closeToast(id: number): void {
  notices.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Speaks one sentence through the live region. While playing, callers keep to one a second. */
export function announce(text: string): void {
  notices.setState(({ spoken }) => ({ spoken: { text, turn: spoken.turn + 1 } }));
}
