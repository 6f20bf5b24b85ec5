package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.http.Routes;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The auto-configuration of the endpoint {@code weir}, if Spring Boot's Actuator is there and the endpoint is available. */
@AutoConfiguration(after = {WeirAutoConfiguration.class, WeirRoutesAutoConfiguration.class})
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class WeirEndpointAutoConfiguration {
    WeirEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(LimiterRegistry.class)
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    WeirEndpoint weirEndpoint(LimiterRegistry registry, ObjectProvider<Routes> routes) {
        return new WeirEndpoint(registry, routes.getIfAvailable());
    }
}
