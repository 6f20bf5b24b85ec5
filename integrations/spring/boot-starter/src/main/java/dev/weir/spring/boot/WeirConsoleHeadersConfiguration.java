package dev.weir.spring.boot;

import dev.weir.console.ConsolePages;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

/** The headers that keep the page of the console safe where WebFlux serves it: an endpoint cannot write them there. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnClass({ConsolePages.class, WebFilter.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBean(WeirConsoleEndpoint.class)
final class WeirConsoleHeadersConfiguration {
    @Bean
    WebFilter weirConsoleHeaders(WeirConsoleEndpoint endpoint, ObjectProvider<PathMappedEndpoints> paths) {
        Map<String, String> headers = endpoint.headers();
        return (exchange, chain) -> {
            String path =
                    exchange.getRequest().getPath().pathWithinApplication().value();
            String console = paths.getObject().getPath(WeirConsoleAutoConfiguration.ID);
            if (console != null && (path.equals(console) || path.startsWith(console + "/"))) {
                headers.forEach(exchange.getResponse().getHeaders()::set);
            }
            return chain.filter(exchange);
        };
    }
}
