package dev.weir.spring.boot;

import dev.weir.adaptive.SavedState;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import dev.weir.share.Instances;
import dev.weir.share.ShareRegistry;
import dev.weir.store.Store;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The auto-configuration of limits by name: a {@link LimiterRegistry} and its {@link Names}, unless there are beans of these types.
 *
 * <p>The document is that of a bean of the type {@link ConfigSource}; without one, that of {@code weir.source.file}; without both,
 * that of the {@linkplain EnvironmentSource environment}. There is one source: what another one has beside it stops the start. A
 * {@link Store} is the store, {@link Instances} count instances, each {@link ShareRegistry} has shares under the name of
 * its bean, a {@link SavedState} keeps the state of adaptive limits, and a {@link RegistryCustomizer} sets what else there is.
 */
@AutoConfiguration
@EnableConfigurationProperties(SourceProperties.class)
final class WeirAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean({LimiterRegistry.class, Names.class})
    DocumentSource weirDocumentSource(
            ObjectProvider<ConfigSource> source, SourceProperties properties, ConfigurableEnvironment environment) {
        return DocumentSource.of(source.getIfAvailable(), properties, environment);
    }

    @Bean
    @ConditionalOnBean(DocumentSource.class)
    RegistryThreads weirRegistryThreads() {
        return new RegistryThreads();
    }

    @Bean
    @ConditionalOnBean(DocumentSource.class)
    LimiterRegistry weirRegistry(
            DocumentSource source,
            RegistryThreads threads,
            SourceProperties properties,
            ObjectProvider<Store> store,
            ObjectProvider<Instances> instances,
            Map<String, ShareRegistry> shares,
            ObjectProvider<SavedState> state,
            ObjectProvider<RegistryCustomizer> customizers) {
        LimiterRegistry.Builder builder =
                LimiterRegistry.builder().executor(threads.executor).startWithin(properties.startWithin());
        if (properties.lastGood() != null) {
            builder.lastGood(Path.of(properties.lastGood()));
        }
        if (properties.instance() != null) {
            builder.instance(properties.instance());
        }
        store.ifAvailable(builder::store);
        instances.ifAvailable(builder::instances);
        shares.forEach(builder::shares);
        state.ifAvailable(builder::restoring);
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return source.registry(builder, properties);
    }

    /* The registry closes them. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    @ConditionalOnBean(LimiterRegistry.class)
    Names weirNames(LimiterRegistry registry) {
        return registry.names();
    }

    /** Tells which limits there are, and which of them no route names. */
    @Bean
    SmartInitializingSingleton weirLimitsLog(ObjectProvider<Names> names, ObjectProvider<Routes> routes) {
        return () -> names.ifAvailable(known -> RouteLog.tellUnnamed(known, routes.getIfAvailable()));
    }

    /** A registry of the user's that does not read the environment. */
    @Bean
    SmartInitializingSingleton weirUnusedDocument(
            ObjectProvider<LimiterRegistry> registry, ConfigurableEnvironment environment) {
        return () -> {
            LimiterRegistry used = registry.getIfAvailable();
            String source = used == null ? "" : used.status().source();
            if (!source.equals(EnvironmentSource.NAME)) {
                DocumentSource.check(environment, source.isEmpty() ? "limits of code alone" : source);
            }
        };
    }

    /**
     * The daemon threads of the registry, which end with it: nothing of a context is left after its restart. They are no {@link
     * Executor}, because Spring Boot makes none of its own where a bean is one.
     */
    static final class RegistryThreads implements AutoCloseable {
        private final ExecutorService executor = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "weir-registry");
            thread.setDaemon(true);
            return thread;
        });

        /** Runs what it has been given, and ends. */
        @Override
        public void close() {
            executor.shutdown();
        }
    }
}
