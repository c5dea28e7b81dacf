import { NavLink as MenuItem } from '@mantine/core'
import { NavLink, useLocation } from 'react-router-dom'
import { menu, type MenuGroup, type MenuLink } from './menu'
import classes from './side-menu.module.css'

type Props = { onGo?: () => void }

export function SideMenu({ onGo }: Props) {
  return (
    <ul className={classes.list}>
      {menu.map((item) => (
        <li key={item.label}>{'to' in item ? <Entry {...item} onGo={onGo} /> : <Group {...item} onGo={onGo} />}</li>
      ))}
    </ul>
  )
}

function Group({ label, icon: Icon, links, onGo }: MenuGroup & Props) {
  const { pathname } = useLocation()
  return (
    <details className={classes.group} open={links.some(({ to }) => pathname.startsWith(to)) || undefined}>
      <summary className={classes.summary}>
        <Icon size={18} stroke={1.6} aria-hidden />
        {label}
      </summary>
      <ul className={classes.list}>
        {links.map((link) => (
          <li key={link.to}>
            <Entry {...link} onGo={onGo} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Entry({ label, to, icon: Icon, isEnd, onGo }: MenuLink & Props) {
  return (
    <MenuItem
      component={NavLink}
      end={isEnd ?? false}
      to={to}
      label={label}
      className={classes.entry}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      onClick={onGo}
    />
  )
}
