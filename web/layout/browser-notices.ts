import type { UrgentNews } from '../../worker/alerts/urgent/contract'
import { ruleNames } from '../../worker/domain/alerts/alert-rules'
import { findKept, keep } from '../lib/kept'

const storageKey = 'EarshotNotices'

export const canNotify = () => 'Notification' in window
export const areNoticesOn = () => canNotify() && Notification.permission === 'granted' && findKept(storageKey) === 'on'

/** Asks the browser's own question the first time; answers whether notices are on now. */
export async function setNotices(isOn: boolean) {
  const isAllowed = isOn && (await Notification.requestPermission()) === 'granted'
  keep(storageKey, isAllowed ? 'on' : 'off')
  return isAllowed
}

/** Several tabs tell of the same alert once, because its tag is the same. */
export function tellNotice({ id, rule, vuln }: UrgentNews['results'][number]) {
  const notice = new Notification(`${vuln.cveid ?? `PH-${vuln.id}`}: ${ruleNames[rule]}`, {
    body: vuln.summary,
    tag: `earshot-${id}`,
  })
  notice.addEventListener('click', () => {
    window.focus()
    location.assign(`/vulns/${vuln.id}`)
  })
}
