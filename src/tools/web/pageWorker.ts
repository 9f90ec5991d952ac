/**
 * A worker thread that converts one page to text. Parsing may take seconds, or forever on a hostile page; a thread can
 * be terminated, and the screen stays responsive. Input arrives as `workerData`, results as messages.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { visibleText } from '../../protocol/text/visible.ts';
import { decodePage, readablePage } from './readablePage.ts';

export interface PageTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly charset: string | undefined;
  /** `unknown` is determined from the content. */
  readonly form: 'html' | 'text' | 'unknown';
  readonly address: string;
}

export type PageNews =
  /** The best result so far; better ones may follow. */
  | { readonly type: 'page'; readonly title: string; readonly text: string; readonly rough: boolean }
  | { readonly type: 'binary' }
  | { readonly type: 'done' };

const post = (news: PageNews): void => parentPort?.postMessage(news);

convert(workerData as PageTask);
post({ type: 'done' });

function convert({ bytes, charset, form, address }: PageTask): void {
  const text = decodePage(bytes, charset, form !== 'text');
  const isHtml =
    form === 'html' || (form === 'unknown' && /^\s*<(?:!doctype html|html|head|body)\b/i.test(text));
  // Text contains no NUL; binary data shows one early.
  if (!isHtml && text.slice(0, 4096).includes('\0')) {
    post({ type: 'binary' });
  } else if (!isHtml) {
    post({ type: 'page', title: '', text: visibleText(text), rough: false });
  } else {
    for (const page of readablePage(text, address))
      post({ ...page, type: 'page', title: visibleText(page.title), text: visibleText(page.text) });
  }
}
