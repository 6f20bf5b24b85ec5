package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.micrometer.RegistryMeters;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The auto-configuration of the meters of limits: a bean that Spring Boot binds to its registry of meters, if there is one. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, RegistryMeters.class})
final class WeirMetersAutoConfiguration {
    @Bean
    @ConditionalOnBean(LimiterRegistry.class)
    @ConditionalOnMissingBean
    RegistryMeters weirMeters(LimiterRegistry registry) {
        return RegistryMeters.of(registry);
    }
}
