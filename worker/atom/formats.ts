import { html } from '../http/html'
import { hashToken } from '../auth/keys'
import { holdsEtag } from '../http/etags'
import { withoutTurns } from '../domain/people/name'

export type FeedEntry = { id: string; url: string; title: string; text: string; at: string }
type FeedPage = { id: string; title: string; self: string; home: string; entries: FeedEntry[] }

/** RFC 4287. */
export async function formatAtom({ id: feed_id, title, self, home, entries }: FeedPage) {
  const page = await html`<feed xmlns="http://www.w3.org/2005/Atom">
    <id>${feed_id}</id>
    <title>${readable(title)}</title>
    <updated>${newest(entries)}</updated>
    <author><name>Earshot</name></author>
    <link rel="self" type="application/atom+xml" href="${self}" />
    <link rel="alternate" type="text/html" href="${home}" />
    ${entries.map(
      ({ id, url, title: name, text, at }) =>
        html`<entry>
          <id>${id}</id>
          <title>${readable(name)}</title>
          <updated>${at}</updated>
          <link rel="alternate" type="text/html" href="${url}" />
          <content type="text">${readable(text)}</content>
        </entry> `,
    )}
  </feed>`
  return `<?xml version="1.0" encoding="utf-8"?>\n${String(page)}\n`
}

const newest = (entries: FeedEntry[]) =>
  entries.reduce((latest, { at }) => (at > latest ? at : latest), '1970-01-01T00:00:00Z')

/** JSON Feed 1.1. */
export const formatJsonFeed = ({ title, self, home, entries }: FeedPage) =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: home,
    feed_url: self,
    items: entries.map(({ id, url, title: name, text, at }) => ({
      id,
      url,
      title: name,
      content_text: text,
      date_modified: at,
    })),
  })

// XML has no place for control characters, however they are written.
// oxlint-disable-next-line no-control-regex
const readable = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')

export async function answerFeed(text: string, type: string, known: string | null) {
  const body = withoutTurns(text)
  const etag = `"${(await hashToken(body)).slice(0, 27)}"`
  const headers = { etag, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }
  if (holdsEtag(known, etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { headers: { ...headers, 'content-type': `${type}; charset=utf-8` } })
}
