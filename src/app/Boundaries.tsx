import { Component, type ReactNode } from 'react';
import { closeBanner, showBanner } from '../base/notices';
import { NotFetched } from '../base/retry-import';
import { showOverlay } from '../base/shell-state';
import { ErrorNotice } from '../widgets/Feedback';
import { retryMissing, retryTitle } from './opening/retry-missing';

interface State {
  readonly error: Error | null;
}

const inState = (error: Error): State => ({ error });

interface PanelProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Shows the failure of a panel in the panel's place, with a way to retry. */
export class PanelBoundary extends Component<PanelProps, State> {
  override state: State = { error: null };

  static getDerivedStateFromError = inState;

  #again = async (): Promise<void> => {
    if (await retryMissing()) this.setState({ error: null });
  };

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const title = `${this.props.title} cannot be shown`;
    const actions = [{ title: retryTitle('Show it again'), run: () => void this.#again() }];
    const untouched = 'The session and the other panels are untouched.';
    return error instanceof NotFetched ? (
      <ErrorNotice title={title} detail={`${error.message} ${untouched}`} actions={actions} />
    ) : (
      <ErrorNotice title={title} place={error.message} detail={untouched} actions={actions} />
    );
  }
}

interface OverlayProps {
  readonly overlay: string | null;
  readonly title: string;
  readonly children: ReactNode;
}

/** Overlays have no place to show a failure: a banner reports it, and the page continues. */
export class OverlayBoundary extends Component<OverlayProps, State> {
  override state: State = { error: null };

  static getDerivedStateFromError = inState;

  override componentDidCatch(error: Error): void {
    const { overlay, title } = this.props;
    const again = async () => {
      if (!(await retryMissing())) return;
      closeBanner('overlay');
      showOverlay(overlay);
    };
    showOverlay(null);
    showBanner({
      id: 'overlay',
      kind: 'error',
      title: `${title} cannot be shown.`,
      detail: error.message,
      actions: [{ title: retryTitle('Try again'), run: () => void again() }],
    });
  }

  override render() {
    return this.state.error ? null : this.props.children;
  }
}
