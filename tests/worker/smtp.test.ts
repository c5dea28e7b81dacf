import { env as bindings } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import type { MailBehaviour, Taken } from '../support/mail-server'
import { errorText } from '../../worker/db/error-text'
import { retryMinutes } from '../../worker/db/leases'
import { mailRetryMinutes } from '../../worker/mail/refusal'
import { openTransport } from '../../worker/mail/transport'
import { type Message, encodeSubject } from '../../worker/mail/message'
import type { Env } from '../../worker/env'

const { SMTP_URL, MAIL_CONTROL } = bindings as unknown as Env & { MAIL_CONTROL: string }
const mails = async () => (await (await fetch(`${MAIL_CONTROL}/mails`)).json()) as Taken[]
const behave = (behaviour: MailBehaviour) => fetch(`${MAIL_CONTROL}/behave`, { method: 'POST', body: behaviour })
beforeEach(() => behave('take'))

const aMessage = (more: Partial<Message> = {}): Message => ({
  to: 'analyst@example.org',
  from: 'Earshot <alerts@earshot.test>',
  subject: '[Earshot] PH-12 / has known exploits – Grüße',
  html: '<p>Grüße &amp; <b>more</b></p>',
  text: 'Grüße & more\n.\nafter a lonely dot',
  message_id: '<delivery-1@earshot.test>',
  headers: { 'Auto-Submitted': 'auto-generated' },
  ...more,
})
const seldom = [60, 240, 720, 1_440, 1_440, 1_440]
const transport = () => openTransport({ SMTP_URL } as Env)

test('a mail arrives over SMTP as it was written, in both its forms', async () => {
  const smtp = transport()
  await smtp.send(aMessage())
  await smtp.close()
  expect(await mails()).toEqual([
    {
      to: ['analyst@example.org'],
      from: 'alerts@earshot.test',
      subject: '[Earshot] PH-12 / has known exploits – Grüße',
      message_id: '<delivery-1@earshot.test>',
      date: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/),
      html: expect.stringContaining('<p>Grüße &amp; <b>more</b></p>'),
      text: expect.stringContaining('Grüße & more\n.\nafter a lonely dot'),
    },
  ])
})

test('several mails go over one connection', async () => {
  const smtp = transport()
  for (const id of [1, 2, 3]) await smtp.send(aMessage({ message_id: `<delivery-${id}@earshot.test>` }))
  await smtp.close()
  expect((await mails()).map(({ message_id }) => message_id)).toEqual(
    [1, 2, 3].map((id) => `<delivery-${id}@earshot.test>`),
  )
})

test.each([
  ['a line end', 'PH-1\r\nBcc: other@example.org\r\n\r\n<b>x', 'PH-1 Bcc: other@example.org <b>x'],
  ['a subject that looks encoded', '=?UTF-8?Q?PH-2?= of Grüße', '=?UTF-8?Q?PH-2?= of Grüße'],
  ['many letters of another script', '漏洞'.repeat(100), '漏洞'.repeat(100)],
])('a subject with %s is one header, in lines that every server takes', async (_, subject, read) => {
  const smtp = transport()
  await smtp.send(aMessage({ subject }))
  await smtp.close()
  expect(await mails()).toMatchObject([
    { to: ['analyst@example.org'], subject: read, html: expect.stringContaining('Grüße &amp; <b>more') },
  ])
  for (const line of encodeSubject(subject).split('\r\n ')) expect(line.length).toBeLessThanOrEqual(75)
})

test.each([
  ['refuse recipient', /451.*Greylisted/],
  ['refuse content', /451.*Not now/],
  ['hang up at content', /closed the connection|lost|closed/i],
  ['hang up at greeting', /closed the connection|lost|closed/i],
] as [MailBehaviour, RegExp][])(
  'a server that does "%s" is an error with its words, and the next mail goes out',
  async (behaviour, words) => {
    const smtp = transport()
    await behave(behaviour)
    await expect(smtp.send(aMessage())).rejects.toThrow(words)
    await behave('take')
    await smtp.send(aMessage())
    await smtp.close()
    expect(await mails()).toHaveLength(1)
  },
)

test.each([
  ['550 5.1.1 No such user here', []],
  ['550-5.1.1 No such user\r\n550 5.1.1 here', []],
  ['556 5.1.10 Recipient address has null MX', []],
  ['550 5.2.1 Mailbox is disabled', []],
  ['552 5.2.2 Mailbox full', seldom],
  ['554 5.7.1 Blocked by a list', seldom],
  ['550 Not here', seldom],
  ['550 5.1.8 No such domain of the sender', seldom],
  ['451 4.1.1 Looked up later, else 550 5.1.1', retryMinutes],
])('after "%s" a mail is tried again by what that says of its receiver', (answer, minutes) => {
  expect(mailRetryMinutes(`Invalid RCPT TO: <one@example.org> ${answer}`)).toEqual(minutes)
  expect(mailRetryMinutes(`Failed send email body: ${answer}`)).toEqual(minutes)
  expect(mailRetryMinutes(`Invalid MAIL FROM: <us@example.org> ${answer}`)).toEqual(retryMinutes)
})

test('a server that knows no such mailbox gets no second try', async () => {
  const smtp = transport()
  await behave('know no recipient')
  expect(mailRetryMinutes(errorText(await smtp.send(aMessage()).catch((error: unknown) => error)))).toEqual([])
  await smtp.close()
})

test.each([
  ['smtp+insecure', 'The mail server cannot be reached'],
  ['smtps', 'The mail server cannot be reached, or its certificate is not valid for its name'],
])('no server at all is an error of %s, not a hang', async (scheme, words) => {
  const smtp = openTransport({ SMTP_URL: `${scheme}://127.0.0.1:1` } as Env)
  await expect(smtp.send(aMessage())).rejects.toThrow(new Error(words))
  await smtp.close()
})

test('a server that offers no encryption gets no mail, unless the address says so', async () => {
  const smtp = openTransport({ SMTP_URL: SMTP_URL?.replace('smtp+insecure:', 'smtp:') } as Env)
  await expect(smtp.send(aMessage())).rejects.toThrow(/offers no encryption \(STARTTLS\)/)
  await smtp.close()
  expect(await mails()).toEqual([])
})
