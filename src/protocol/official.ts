/** Where requests go when nothing says otherwise, and to which model. */
export const OFFICIAL_URL = 'https://api.openai.com/v1';

/** The model there, when nothing names one. */
export const OFFICIAL_MODEL = 'gpt-4.1';
