import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText, splitTitle } from '../../worker/domain/words/plain-text'

test.each([
  ['<p>A flaw in <code>curl</code>.</p><p>Second.</p>', 'A flaw in curl . Second.'],
  ['One<br/>two', 'One two'],
  ['Tom &amp; Jerry&#39;s &quot;q&quot; &#x2019;', 'Tom & Jerry\'s "q" \u2019'],
  ['XSS by &lt;script&gt; in a name', 'XSS by <script> in a name'],
  ['an attacker injects <b> or <img onerror=x>', 'an attacker injects <b> or <img onerror=x>'],
  ['a &unknown; b &#0; c & d', 'a &unknown; b &#0; c & d'],
])('%s is read as %s', (written, text) => expect(plainText(written)).toBe(text))

test('a text without marks is left as it is', () =>
  fc.assert(
    fc.property(
      fc.string().map((text) => text.replace(/[&<]/g, '')),
      (text) => plainText(text) === text,
    ),
  ))

test.each([
  [
    { title: null, summary: 'A flaw.' },
    { title: '', rest: 'A flaw.' },
  ],
  [
    { title: 'Widget leaks', summary: 'Widget leaks\n\nSince 2.0.' },
    { title: 'Widget leaks', rest: 'Since 2.0.' },
  ],
  [
    { title: 'Leak of &amp;', summary: 'It leaks.' },
    { title: 'Leak of &', rest: 'It leaks.' },
  ],
])('%j is told as %j', (vuln, told) => expect(splitTitle(vuln)).toEqual(told))
