package dev.weir.spring.boot;

import dev.weir.config.LimiterRegistry;
import dev.weir.console.ConsolePages;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** The auto-configuration of the endpoint {@code weirconsole}, if the console and Actuator are there and the endpoint is available. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({ConditionalOnAvailableEndpoint.class, ConsolePages.class})
@ImportRuntimeHints(WeirConsoleAutoConfiguration.Files.class)
final class WeirConsoleAutoConfiguration {
    static final EndpointId ID = EndpointId.of("weirconsole");

    @Bean
    @ConditionalOnBean(LimiterRegistry.class)
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    WeirConsoleEndpoint weirConsoleEndpoint(
            LimiterRegistry registry,
            ObjectProvider<PathMappedEndpoints> paths,
            ObjectProvider<EndpointAccessResolver> access) {
        return new WeirConsoleEndpoint(
                ConsolePages.of(registry),
                () -> String.valueOf(paths.getObject().getPath(ID)),
                () -> access.getObject().accessFor(ID, Access.READ_ONLY) == Access.UNRESTRICTED);
    }

    /** The files of the page, which a native image would leave out. */
    static final class Files implements RuntimeHintsRegistrar {
        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            hints.resources().registerPattern("dev/weir/console/*");
        }
    }
}
