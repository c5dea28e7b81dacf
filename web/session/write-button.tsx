import { Button, Menu, type ButtonProps, type ElementProps, type MenuItemProps } from '@mantine/core'
import { useReadOnly } from './known-org'

/** For what changes something: where nothing may be changed, it is disabled and says why. */
export const WriteButton = (props: ButtonProps & ElementProps<'button', keyof ButtonProps>) => (
  <Button {...props} {...useReadOnly()} />
)

export const WriteItem = (props: MenuItemProps & ElementProps<'button', keyof MenuItemProps>) => (
  <Menu.Item {...props} {...useReadOnly()} />
)
