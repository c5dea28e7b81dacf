import { retryMinutes } from '../db/leases'

/** A server's last word on a receiver or a whole mail, behind the words of our library. A refused sender or sign-in is no fault of the receiver. */
const answered =
  /^(?:Invalid RCPT TO: <[^>]*>(?: NOTIFY=\S+)? |Failed send email body: )?5\d\d[ -](5\.\d{1,3}\.\d{1,3})?/

const isOfAddress = (code: string) => /^5\.(?:1\.(?:[1-46]|10)|2\.1)$/.test(code)

/**
 * Minutes until each further try of a mail. None where its address is bad: no such mailbox or domain (5.1.1 to 5.1.4 and 5.1.6, RFC 3463 section 3.2;
 * 5.1.10, RFC 7505 section 4.2) or a mailbox that is switched off (5.2.1, section 3.3). Other answers for good (5yz, RFC 5321 section 4.2.1) may pass
 * all the same, as rules about senders do (5.7.z, section 3.8) or a full mailbox (5.2.2): they are tried less often, over the same days. 5.1.7 and 5.1.8 are of the sender.
 */
export function mailRetryMinutes(message: string): readonly number[] {
  const [refused, code = ''] = answered.exec(message) ?? []
  if (refused === undefined) return retryMinutes
  return isOfAddress(code) ? [] : retryMinutes.filter((minutes) => minutes >= 60)
}
