import { getVendor } from '../../../worker/kb/contract'
import { askFor } from '../../lib/ask'

export const vendorQuery = (id: number) =>
  askFor(['vendors', 'detail', id], getVendor, { params: { id } }, 'Unable to get vendor details')
