import { IconAlertTriangle } from '@tabler/icons-react'
import { Mark } from './mark'

const face = { tone: 'alarm', icon: IconAlertTriangle, title: 'Known to be exploited (CISA)', children: 'KEV' } as const

export const KevMark = () => <Mark {...face} />
