package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.http.Routes;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** The auto-configuration of the endpoint {@code weir}, if Spring Boot's Actuator is there and the endpoint is available. */
@AutoConfiguration(after = {WeirAutoConfiguration.class, WeirRoutesAutoConfiguration.class})
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ImportRuntimeHints(WeirEndpointAutoConfiguration.Answers.class)
final class WeirEndpointAutoConfiguration {
    @Bean
    @ConditionalOnBean(LimiterRegistry.class)
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    WeirEndpoint weirEndpoint(LimiterRegistry registry, ObjectProvider<Routes> routes) {
        return new WeirEndpoint(registry, routes.getIfAvailable());
    }

    /** The answers whose types no method of the endpoint tells. */
    static final class Answers implements RuntimeHintsRegistrar {
        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            new BindingReflectionHintsRegistrar()
                    .registerReflectionHints(
                            hints.reflection(), WeirEndpoint.Explained.class, WeirEndpoint.Wrong.class);
        }
    }
}
