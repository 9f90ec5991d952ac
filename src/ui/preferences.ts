/** What the settings say about the screen, as plain data; `cli` hands it over. */
export interface UiPreferences {
  readonly reducedMotion: boolean;
  readonly showReasoning: boolean;
}

/** Until the settings are read. */
export const defaultPreferences: UiPreferences = { reducedMotion: false, showReasoning: false };
