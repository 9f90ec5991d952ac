/** How the screen calls for attention outside of its own rows: what the terminal takes, and what the user wants. */
export type NotificationChannel = 'bell' | 'osc9' | 'osc777' | 'osc99';

export interface Attention {
  /** Whether the title names the session. */
  readonly title: boolean;
  /** Whether the terminal shows progress (OSC 9;4) and the user wants it. */
  readonly progress: boolean;
  readonly notifications: NotificationChannel | 'off';
  /** What stands between here and the terminal and passes on only what is wrapped for it. */
  readonly multiplexer?: 'tmux' | 'screen' | undefined;
  /** A program of the user's own, instead of the terminal's notification. */
  readonly notify?: ((message: string, session: string) => void) | undefined;
}
