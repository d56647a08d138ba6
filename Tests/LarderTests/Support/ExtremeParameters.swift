/// Policies with their largest valid parameters.
enum ExtremeParameters {
  static let specs = [
    "2q:in=0.9999:ghost=100", "mq:queues=16:ghost=100:life=1000000", "lru-k:k=8:history=100",
    "lru-k:history=100", "lirs:hir=1:stack=1000", "lirs:hir=0:stack=0",
    "s3-fifo:small=0.9999:ghost=100", "qd-lp:small=0.0001:ghost=100", "slru:segments=64:fill=true",
    "lecar:rate=10:discount=1:ghost=100", "cacheus:ghost=100", "w-tinylfu:window=1:protected=1",
    "w-tinylfu:window=0:protected=0", "w-tinylfu:window=adaptive",
    "hyperbolic:samples=1024:size=true", "lhd:samples=256:period=1000", "clock:bits=3",
    "s4-fifo:small=0.9999:threshold=3:ghost=100:skip=1:refuse-large=true",
    "clock2q-plus:small=0.0001:ghost=100:window=1", "tinyufo:counters=exact",
    "la-cache:history=1000", "la-cache:history=0.001",
    "redis-lru:samples=64:pool=64:resolution=3600000:rate=1000000",
    "redis-lfu:samples=1:pool=1:log-factor=1000:decay=65535:rate=1",
    "nginx:inactive=1000000000:keys=4294967295:rate=1", "nginx:keys=1000:memory=server:key=65535",
    "varnish:interval=1000000:nuke-limit=1000000", "varnish:interval=0:nuke-limit=0",
    "memcached:factor=100:first=8:page=1073741824:hot=100:warm=100:hot-age=1000:warm-age=1000",
    "memcached:factor=1.01:page=256:hot=0:warm=0:hot-age=0:warm-age=0",
  ]
}
