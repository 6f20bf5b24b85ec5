import org.jspecify.annotations.NullMarked;

/** Limits by name, built from one document and changed while they run. */
@NullMarked
module dev.weir.config {
    requires transitive dev.weir.named;
    requires org.snakeyaml.engine;
    requires com.fasterxml.jackson.core;
    requires static com.google.errorprone.annotations;
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
}
