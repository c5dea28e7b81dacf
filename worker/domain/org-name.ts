import { PlainName } from './name'

export const OrgName = PlainName.min(2, 'At least 2 characters').max(100)
