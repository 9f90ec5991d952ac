/**
 * A thread of its own that turns one page into text. Parsing may take seconds, and a hostile page for ever: the
 * thread can be ended, and the screen goes on meanwhile. Told by `workerData`, answers by messages.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { decodePage } from './decodePage.ts';
import { readablePage } from './readablePage.ts';

export interface PageTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly charset: string | undefined;
  /** `unknown` is looked at. */
  readonly form: 'html' | 'text' | 'unknown';
  readonly address: string;
}

export type PageNews =
  /** As good as it got so far; another may follow. */
  | { readonly type: 'page'; readonly title: string; readonly text: string; readonly rough: boolean }
  | { readonly type: 'binary' }
  | { readonly type: 'done' };

const say = (news: PageNews): void => parentPort?.postMessage(news);

convert(workerData as PageTask);
say({ type: 'done' });

function convert({ bytes, charset, form, address }: PageTask): void {
  const text = decodePage(bytes, charset, form !== 'text');
  const isHtml =
    form === 'html' || (form === 'unknown' && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text));
  // No text holds NULs; what was cut or mislabelled shows in the first part.
  if (!isHtml && text.slice(0, 4096).includes('\0')) {
    say({ type: 'binary' });
  } else if (!isHtml) {
    say({ type: 'page', title: '', text: clean(text), rough: false });
  } else {
    for (const page of readablePage(text, address))
      say({ ...page, type: 'page', title: clean(page.title), text: clean(page.text) });
  }
}

/** Without what can neither be seen nor printed: control characters, and Unicode's invisible tags. */
function clean(text: string): string {
  return text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\u{e0000}-\u{e007f}]/gu, '');
}
