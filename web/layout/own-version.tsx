import { useQuery } from '@tanstack/react-query'
import { publicSettingsQuery } from '../lib/public-settings'

export const OwnVersion = () => <span>Earshot {useQuery(publicSettingsQuery).data?.version}</span>
