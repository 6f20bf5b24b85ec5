package dev.weir.spring.boot;

import dev.weir.http.Routes;
import dev.weir.webflux.WeirWebFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * The auto-configuration of limits before the handlers of WebFlux: a {@link WeirWebFilter} with the {@link Routes} that are a bean,
 * after the filter of Spring Security, so that a limit may count by the user. {@code weir.web.order} sets another order.
 */
@AutoConfiguration(after = WeirRoutesAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({WebFilter.class, Mono.class})
final class WeirWebFluxAutoConfiguration {
    @Bean
    @ConditionalOnBean(Routes.class)
    @ConditionalOnMissingBean(name = "weirWebFilter")
    OrderedFilter weirWebFilter(Routes routes, WebProperties properties) {
        return new OrderedFilter(new WeirWebFilter(routes), properties.order());
    }

    record OrderedFilter(WebFilter filter, int order) implements WebFilter, Ordered {
        @Override
        public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
            return filter.filter(exchange, chain);
        }

        @Override
        public int getOrder() {
            return order;
        }
    }
}
