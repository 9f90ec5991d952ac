/** What the settings say about the screen, as plain data; `cli` hands it over. */
export interface UiPreferences {
  readonly reducedMotion: boolean;
  readonly showReasoning: boolean;
  /** Vim keys in the composer. */
  readonly vim?: boolean;
}

/** Until the settings are read. */
export const defaultPreferences: UiPreferences = { reducedMotion: false, showReasoning: false };
