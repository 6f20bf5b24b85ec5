package dev.weir.spring.boot.five;

import dev.weir.spring.Limited;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller with a limited method. */
// #region limited
@RestController
class Payments {
    @Limited("payments")
    @PostMapping("/payments")
    String pay() {
        return "paid";
    }
}
// #endregion limited
