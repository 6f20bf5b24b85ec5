import org.jspecify.annotations.NullMarked;

/** Limits by name, built from one document and changed while they run. */
@NullMarked
module dev.weir.config {
    requires transitive dev.weir;
    requires transitive dev.weir.algorithms;
    requires transitive dev.weir.queue;
    requires transitive dev.weir.adaptive;
    requires transitive dev.weir.distributed;
    requires org.snakeyaml.engine;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports dev.weir.config;
    exports dev.weir.config.document;
    exports dev.weir.config.factory;
    exports dev.weir.config.source;
    exports dev.weir.config.value;

    uses dev.weir.config.factory.StrategyFactory;
    uses dev.weir.config.factory.DisciplineFactory;
    uses dev.weir.config.factory.ControllerFactory;
    uses dev.weir.config.factory.SignalFactory;

    provides dev.weir.config.factory.StrategyFactory with
            dev.weir.config.builtin.Buckets.GcraFactory,
            dev.weir.config.builtin.Buckets.LeakyBucketFactory,
            dev.weir.config.builtin.Buckets.PacerFactory,
            dev.weir.config.builtin.Buckets.TokenBucketFactory,
            dev.weir.config.builtin.ConcurrencyLimits.CounterFactory,
            dev.weir.config.builtin.ConcurrencyLimits.PartitionedFactory,
            dev.weir.config.builtin.ConcurrencyLimits.PrioritySheddingFactory,
            dev.weir.config.builtin.ConcurrencyLimits.SemaphoreFactory,
            dev.weir.config.builtin.PlannedRateFactory,
            dev.weir.config.builtin.Windows.FirstHitQuotaFactory,
            dev.weir.config.builtin.Windows.FixedWindowFactory,
            dev.weir.config.builtin.Windows.SlidingLogFactory,
            dev.weir.config.builtin.Windows.SlidingWindowFactory;
    provides dev.weir.config.factory.DisciplineFactory with
            dev.weir.config.builtin.Orders.EarliestDeadlineFactory,
            dev.weir.config.builtin.Orders.FairShareFactory,
            dev.weir.config.builtin.Orders.FifoFactory,
            dev.weir.config.builtin.Orders.LifoFactory,
            dev.weir.config.builtin.Orders.PriorityFactory,
            dev.weir.config.builtin.StandingQueues.AdaptiveLifoFactory,
            dev.weir.config.builtin.StandingQueues.CoDelFactory,
            dev.weir.config.builtin.StandingQueues.CoDelLifoFactory;
    provides dev.weir.config.factory.ControllerFactory with
            dev.weir.config.builtin.Combinations.MinFactory,
            dev.weir.config.builtin.Combinations.RampFactory,
            dev.weir.config.builtin.LimitSearches.AimdFactory,
            dev.weir.config.builtin.LimitSearches.CrestFactory,
            dev.weir.config.builtin.LimitSearches.EnvoyGradientFactory,
            dev.weir.config.builtin.LimitSearches.Gradient2Factory,
            dev.weir.config.builtin.LimitSearches.VegasFactory,
            dev.weir.config.builtin.SignalControls.LoadGuardFactory,
            dev.weir.config.builtin.SignalControls.QueueDelayPidFactory;
    provides dev.weir.config.factory.SignalFactory with
            dev.weir.config.builtin.ProcessSignals.CpuFactory,
            dev.weir.config.builtin.ProcessSignals.GcFactory,
            dev.weir.config.builtin.ProcessSignals.MemoryFactory,
            dev.weir.config.builtin.ProcessSignals.PressureFactory,
            dev.weir.config.builtin.ProcessSignals.ThrottledFactory;
}
