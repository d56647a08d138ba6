/// Policies with the largest parameters that they take.
enum ExtremeParameters {
  static let specs = [
    "2q:in=0.9999:ghost=100", "mq:queues=16:ghost=100:life=1000000", "lru-k:k=8:history=100",
    "lru-k:history=100:correlated=1000000000", "lirs:hir=1:stack=1000", "lirs:hir=0:stack=0",
    "s3-fifo:small=0.9999:ghost=100", "qd-lp:small=0.0001:ghost=100", "slru:segments=64:fill=true",
    "lecar:rate=10:discount=1:ghost=100", "cacheus:ghost=100", "w-tinylfu:window=1:protected=1",
    "w-tinylfu:window=0:protected=0:doorkeeper=true", "w-tinylfu:window=adaptive",
    "hyperbolic:samples=1024:size=true", "lhd:samples=256:period=1000", "clock:bits=3",
    "s4-fifo:small=0.9999:threshold=3:ghost=100:skip=1:refuse-large=true",
    "clock2q-plus:small=0.0001:ghost=100:window=1", "tinyufo:counters=exact",
    "redis-lru:samples=64:pool=64:resolution=3600000:rate=1000000",
    "redis-lfu:samples=1:pool=1:log-factor=1000:decay=65535:rate=1",
  ]
}
