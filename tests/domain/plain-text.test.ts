import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText, splitTitle } from '../../worker/domain/words/plain-text'

test.each([
  ['<p>A flaw in <code>curl</code>.</p><p>Second.</p>', 'A flaw in curl . Second.'],
  ['One.<br/>Two', 'One. Two'],
  ['Tom &amp; Jerry&#39;s &quot;q&quot;&#x2019;', 'Tom & Jerry\'s "q"\u2019'],
  ['XSS by &lt;script&gt; in a name', 'XSS by <script> in a name'],
  ['Cisco&nbsp;has released.\r\n&nbsp;\r\nNote', 'Cisco has released.\r\n \r\nNote'],
  ['GGUF info-&gt;ne of llama.cpp', 'GGUF info->ne of llama.cpp'],
  ['an attacker injects <b> or <img onerror=x>', 'an attacker injects <b> or <img onerror=x>'],
  // Texts of CVE-2010-0420, CVE-2002-0457, CVE-2007-1905, CVE-2006-3761, CVE-2005-0563 and CVE-2008-4787.
  ['parse nicknames containing <br> sequences', 'parse nicknames containing <br> sequences'],
  ['tags such as &lt;, &gt;, and &amp; in fields', 'tags such as &lt;, &gt;, and &amp; in fields'],
  ['via a leading "&lt;&quot;&lt;" in it', 'via a leading "&lt;&quot;&lt;" in it'],
  ['using "java&#115;cript"', 'using "java&#115;cript"'],
  ['jav&#X41sc&#0010;ript:', 'jav&#X41sc&#0010;ript:'],
  ['many &nbsp; (Non-Blocking Space characters)', 'many &nbsp; (Non-Blocking Space characters)'],
  ['a &#xd800;x b &#0;x', 'a \ufffdx b &#0;x'],
  ['a &bogus;x b & d', 'a &bogus;x b & d'],
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
    { title: 'Leak of &', summary: 'It leaks.' },
    { title: 'Leak of &', rest: 'It leaks.' },
  ],
])('%j is told as %j', (vuln, told) => expect(splitTitle(vuln)).toEqual(told))
