/**
 * Converts a page's HTML to text for a model: the article if there is one, otherwise the entire page. Slow: see
 * `pageWorker.ts`.
 */
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { markdownOf } from './markdownPage.ts';
import { type PageDocument, type PageNode, parsePage } from './pageDom.ts';
import { plainPage } from './plainPage.ts';

interface ReadablePage {
  readonly title: string;
  readonly text: string;
  /** Bare text, without headings, lists, tables and links. */
  readonly rough: boolean;
}

/** Readability takes half a minute for a thousand levels; real pages have a few dozen. */
const MAX_ARTICLE_DEPTH = 120;
/** Turndown recurses once per level, and parsing time grows with the square of the depth. */
const MAX_LAYOUT_DEPTH = 1000;
/** A larger tree would not fit into the thread's memory, at about 1 kB per element. */
const MAX_ELEMENTS = 400_000;
/** In characters. A shorter article that is less than half of the page is more likely a teaser. */
const MIN_ARTICLE = 500;

/**
 * Yields successively better results: first bare text, which always works, then Markdown. A caller that runs out of
 * time uses the last one. May throw after the first, on pages that the libraries cannot handle.
 */
export function* readablePage(html: string, address: string): Generator<ReadablePage> {
  const { title, text, depth, elements } = plainPage(html);
  yield { title, text, rough: text !== '' };
  if (depth > MAX_LAYOUT_DEPTH || elements > MAX_ELEMENTS) return;
  const document = parsePage(html, title, address);
  const article = depth > MAX_ARTICLE_DEPTH ? undefined : findArticle(document, text.length);
  const markdown = markdownOf(article?.content ?? document.body);
  if (markdown !== '') yield { title: article?.title?.trim() || title, text: markdown, rough: false };
}

function findArticle(document: PageDocument, total: number) {
  if (!isProbablyReaderable(document as unknown as Whole)) return undefined;
  // Readability modifies its document, so it gets a copy.
  const reader = new Readability<PageNode>(document.cloneNode(true) as unknown as Whole, {
    keepClasses: true,
    serializer: (element: unknown) => element as PageNode,
  });
  const article = reader.parse();
  const length = article?.length ?? 0;
  if (article?.content == null || (length < MIN_ARTICLE && length * 2 < total)) return undefined;
  return { title: article.title, content: article.content };
}

/** The library's own document type. */
type Whole = ConstructorParameters<typeof Readability>[0];
