import type { ReactNode } from 'react'
import { renderRoutes } from './app'

export const show = (element: ReactNode, address = '/') => renderRoutes([{ path: '*', element }], address)
