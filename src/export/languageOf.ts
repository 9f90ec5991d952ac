/** The language of a file by its extension, as named in code fences and by highlighters; empty if unknown. */
export function languageOf(name: string): string {
  const [, ending = ''] = /\.([a-z0-9]{1,8})(?:[\s:,)"'’]|$)/i.exec(name) ?? [];
  return languages[ending.toLowerCase()] ?? '';
}

const languages: Readonly<Record<string, string>> = {
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  go: 'go',
  h: 'c',
  html: 'xml',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  sql: 'sql',
  svg: 'xml',
  swift: 'swift',
  ts: 'typescript',
  tsx: 'typescript',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};
