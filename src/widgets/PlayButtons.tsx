import { IconButton } from './Button';

interface PlayButtonsProps {
  readonly playing: boolean;
  readonly disabled?: boolean;
  /** Class of the middle button. */
  readonly playClass?: string | undefined;
  onBack(): void;
  onToggle(): void;
  onForward(): void;
}

/** A step back, play or pause, a step forward. */
export function PlayButtons(props: PlayButtonsProps) {
  const { playing, disabled = false, playClass, onBack, onToggle, onForward } = props;
  return (
    <>
      <IconButton icon="previous" label="Step back" keys="←" disabled={disabled} onClick={onBack} />
      <IconButton
        className={playClass}
        icon={playing ? 'pause' : 'play'}
        label={playing ? 'Pause' : 'Play'}
        keys="Space"
        disabled={disabled}
        onClick={onToggle}
      />
      <IconButton
        icon="next"
        label="Step forward"
        keys="→"
        disabled={disabled}
        onClick={onForward}
      />
    </>
  );
}
