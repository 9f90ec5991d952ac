/** The names of the settings files for `--setting-sources`, lowest precedence first. Imports nothing: flags need it. */
export const settingSources = ['user', 'project', 'local'] as const;
export type SettingSource = (typeof settingSources)[number];
