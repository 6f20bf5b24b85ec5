package dev.weir.edges;

import jakarta.servlet.Filter;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application of Spring Boot with one controller and the probe. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
final class Server {
    @Bean
    Probe probe() {
        return new Probe();
    }

    @Bean
    FilterRegistrationBean<Filter> first(Probe probe) {
        return at(Ordered.HIGHEST_PRECEDENCE, (request, response, chain) -> {
            probe.resume();
            chain.doFilter(request, response);
            probe.pause();
            probe.end();
        });
    }

    @Bean
    FilterRegistrationBean<Filter> last(Probe probe) {
        return at(Ordered.LOWEST_PRECEDENCE, (request, response, chain) -> {
            probe.pause();
            chain.doFilter(request, response);
            probe.resume();
        });
    }

    static FilterRegistrationBean<Filter> at(int order, Filter filter) {
        FilterRegistrationBean<Filter> bean = new FilterRegistrationBean<>(filter);
        bean.setOrder(order);
        return bean;
    }

    /** Asks the work, which may have limits of its own. */
    @RestController
    static class Controller {
        private final Work work;
        private final Probe probe;

        Controller(Work work, Probe probe) {
            this.work = work;
            this.probe = probe;
        }

        @GetMapping("/work")
        String work() {
            probe.resume();
            String done = work.done();
            probe.pause();
            return done;
        }
    }
}
