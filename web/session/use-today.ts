import { localTime } from '../../worker/domain/alerts/report-times'
import { knownOrg } from './known-org'
import { useSession } from './session'

/** The day (YYYY-MM-DD) by the clock of the organization, with which ends what is due. */
export function useToday() {
  const { org } = useSession()
  return dayIn(knownOrg(org?.id)?.time_zone ?? 'UTC')
}

const dayIn = (time_zone: string) => localTime(time_zone, new Date()).toISOString().slice(0, 10)
