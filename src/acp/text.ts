/** Prepares text for a client that renders Markdown: text from programs, files and servers must stay text. Pure. */
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk';
import { visibleLine, visibleText } from '../protocol/text/visible.ts';

/** Characters of a title. */
const MAX_TITLE = 300;
/** Maximum characters of a tool's output; the full output is in the session's log. */
const MAX_OUTPUT = 40_000;

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: textBlock(text) });

/** A title or a name, which may come from a repository or a server. */
export const titleLine = (text: string): string => visibleLine(text, MAX_TITLE);

/** Markdown that shows one line of text as it is: no link, no emphasis, no heading or list. */
export const plainMarkdown = (line: string): string =>
  line
    .replace(/[\\`*_[\]#&>~|]/g, '\\$&')
    .replace(/(?<=^\s*)[-+=]|(?<=^\s*\d{1,9})[.)]/, '\\$&')
    // A backslash would be undone where tags are disarmed.
    .replaceAll('<', '&lt;');

/** As `wholeFenced`; of a long text the end is kept. */
export function fenced(text: string, language = ''): string {
  const isLong = text.length > MAX_OUTPUT;
  return wholeFenced(isLong ? `…${text.slice(-MAX_OUTPUT).toWellFormed()}` : text, language);
}

/**
 * Untrusted text in a fence that nothing in it can close: a client must not load an image or follow a link that a tool's
 * output contains.
 */
export function wholeFenced(text: string, language = ''): string {
  const shown = visibleText(text);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${shown.replace(/\n$/, '')}\n${fence}`;
}
