import type { Tasks } from '../../tasks/tasks.ts'
import { ROUTES } from '../../api/route-table.ts'
import { bind } from '../http/bind.ts'

export function taskRoutes(tasks: Tasks) {
  return {
    listTasks: bind(ROUTES.listTasks, async ({ query }) => ({ tasks: await tasks.list(query) })),
    createTask: bind(ROUTES.createTask, async ({ body }) => ({ task: await tasks.create(body) })),
    showTask: bind(ROUTES.showTask, async ({ params, query }) => ({ task: await tasks.show({ ...params, ...query }) })),
    taskTimeline: bind(ROUTES.taskTimeline, async ({ params, query }) => ({
      timeline: await tasks.timeline({ ...params, ...query }),
    })),
    verifyTask: bind(ROUTES.verifyTask, async ({ params, query }) => ({
      verification: await tasks.verify({ ...params, ...query }),
    })),
    enterGate: bind(ROUTES.enterGate, async ({ params, body }) => ({
      written: await tasks.enterGate({ ...params, ...body }),
    })),
    taskCheckpoint: bind(ROUTES.taskCheckpoint, async ({ params, body }) => ({
      written: await tasks.checkpoint({ ...params, ...body }),
    })),
    blockTask: bind(ROUTES.blockTask, async ({ params, body }) => ({
      task: await tasks.block({ ...params, ...body }),
    })),
    unblockTask: bind(ROUTES.unblockTask, async ({ params, body }) => ({
      task: await tasks.unblock({ ...params, ...body }),
    })),
    finishTask: bind(ROUTES.finishTask, async ({ params, body }) => ({
      task: await tasks.finish({ ...params, ...body }),
    })),
  }
}
