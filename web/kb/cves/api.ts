import { listCves } from '../../../worker/kb/cves/contract'
import type { CveQueryInput } from '../../../worker/kb/cves/contract'
import { askPage } from '../../lib/ask'

export const cvesQuery = (query: CveQueryInput) =>
  askPage(['cves', 'list', query], listCves, { query }, 'unable to get cves')
