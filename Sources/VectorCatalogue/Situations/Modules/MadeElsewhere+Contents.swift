// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let contents = #"""
        [{"name":"rs256","title":"by an RSA key that is for RS256","proves":["KEY-3"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJSUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.MyR-NX5mRoq2-nyZG4MAUXR1U0yVCwHf62FRggaOVrN4vKz_y3VaFvDi3lYuYBZEdGtO6D3NSIN_3UrCjG7WXTkNKTfwESTCBCPE\#
        RPf3yzOoykggZefBrOen6pe5gjvNX4nRLYzD212V8mxpiiTqmFqySQV9awfFzrZui1-aN0kUQXq7Vl8fQy7-2UO1O-vAn_gtvkMvUBmHbB\#
        khXUPTkKb47LkH6Gbsm7iB_VfVDIEL7yFSGC-tj7yWIYmmNxeUy5U7OhYGizlNb199uBl9BwjjUu8hjnPrtFaOHipqU5rWT2wpYNgW6bBk\#
        BnGOVmnyOEU8FDfXIXegCeteAkpKhw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"RS256"}}],"algorithms":["RS256"]}},
        {"name":"rs384","title":"by an RSA key that is for RS384","proves":["KEY-3"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJSUzM4NCIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.oz1YS6woWhFp47MIlCkAm8XzMZDmn66_L8_EDZ8BEmf20BXoys_MwjJWlkr-TNRmUAzHRGR-7HfinGDqWzNCddWSG3etRxh5THzX\#
        xK5hiDA4ODteqVu9o_toPH594VK-fYqC_9wbUQZFfPMoJPSX38gDyN5hlvOmQ26Rcg1DIDsJ5tR8tlYtCxM8CxkggL0s-2y8nqXjaVjj5_\#
        yxeRLCZwthNPhNDmHBoMiqbyUEu0hTdIPEh3luSb2CfwQZhUmyVqFYkGNtF4cCoaSpLvgR0nSfGaEmpFVBFblxSvChb1V5w7re7HFLVQL-\#
        IXLm558tLrSzkC8tXmKdtPGPbIOArQ","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"RS384"}}],"algorithms":["RS384"]}},
        {"name":"rs512","title":"by an RSA key that is for RS512","proves":["KEY-3"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJSUzUxMiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.LneSk2zqgbH8b1S_iS9-FH9IMIvEWrILsSWSoMheqFRYlbjTh_9Qr_qaAQsQWLJXa5Gv9LDMyz0NXxlnnb6CEwiGfRdps80kg9zW\#
        RukNLhwhwOPgXGeXeTpEGhQOC8XYMGqiFclPdEchPR2EIi8AE9y98HueRrdycmMbhmxmM-Eph28WiKjNa0PJa6TI_wJ8O2CfjqSXSLa_kY\#
        RTXSupTi4JX-sABx1xKc_-M9dJCkREcDvx3T9xl-rwapxdcPN_tj2yVXGoKkHsr1Nuy7SloSva5YWp3h_ERqmBQ_TtWCnu0se7wWVjgk7Z\#
        qQpMTIwOz9gYqf4qUWWSKLI7SFrLNw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"RS512"}}],"algorithms":["RS512"]}},
        {"name":"ps256","title":"by an RSA key that is for PS256","proves":["KEY-4"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJQUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.ncsetet1ZVN5nxOzAzludIOzPx7sCIG0tw8GnAQa3_9upZJQDU5WzbCaXYZ1jTD27dbVWogZooaLTb88G20I0AH-SkmluJOK8WHq\#
        wPm91UF_Se2Je2ze6jhob91KWzwSzjIKXOv1bMqNH3tV6UJGGt02N9TjGe4jNuYO7hfV15InsrVxrjYPGnPLbtQV2Xkgjm2RGFSSLlhLzC\#
        y47jK_amPm78uescFpcaeMhDeKIYDWzqW0ddkoAGZoY7CPlJRZ5X0vFlS-PHrWNyE9wjij8BzeFuLwWIOcr-iGtbkFVYDW75AO1xHGA2_Z\#
        FRRL9_fq9PgXPgHIFcKM4HhGnYPBUw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"PS256"}}],"algorithms":["PS256"]}},
        {"name":"ps384","title":"by an RSA key that is for PS384","proves":["KEY-4"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJQUzM4NCIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.CqWLEwjf_z52QHEZ_rcrJCHIDjLFu2ptEByRk7Dd5vYu-yoZFm1GM-kxtb_4xtdgC0gShDPgHzmo8No7BVja6bMM3X_khZDaDv-2\#
        e2aTPzHLI11Hn-aDkdqWyb-E1a92kNK7CMjqPti5delRS5_Tb0RHmJJJBgLD569J83_lZMEIJ03d5iHVaEWtkDMgnoyVTUoRlQTzsFlaXo\#
        rBsubtvw3ESmvKw65bYVPAOnQO1psiJikOFUeMSHV_rw1UP_WN7xTI0e2YieeHzeNQEUUn_kRfx3SMuOK5glBEx3p527l3lGktWwbffx1F\#
        v9EABvprLj-fQhEkXW5Vkxtw7xE93g","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"PS384"}}],"algorithms":["PS384"]}},
        {"name":"ps512","title":"by an RSA key that is for PS512","proves":["KEY-4"],"clause":null,"given":{"text"\#
        :"eyJhbGciOiJQUzUxMiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwi\#
        c3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMD\#
        MwMH0.p8zh8vehhcyqp37GgjyIjEWSdq4NXIZV1Fj7byIfbRon5oXG3KQPSgcUvmpL27OUs1hctrD60q04fJ2tFkqEhCuIAdjiXWmByee1\#
        0EsioUK9q3DoyrIRTOekuEX5On372uH3ZGQXSkHMH_EnLIzur9HYzO-htzswowIWw9YabWppTC-hrY-82YZrOSg_XVe-vey7-1DN1JlsNO\#
        f5lxlq8gMpN3m0rGN-f5P8cWpwgZUqIxVqfxlIkw-rvxzxAuIQBNreXrxAmuq30z7Ee59sMot0_7wD1I46WAHopyUYgddzVJM3k9fRt6q2\#
        zqxS5zBlq7nQ_KiRIP-Nu8ahPuTpOw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1\#
        lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzi\#
        g5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJ\#
        MTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw","e":"AQAB","kid\#
        ":"issuer-1","alg":"PS512"}}],"algorithms":["PS512"]}},
        {"name":"rsa-listed","title":"by an RSA key that names no algorithm, which the reader lists","proves":["KE\#
        Y-8"],"clause":null,"given":{"text":"eyJhbGciOiJSUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiO\#
        iJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQ\#
        iOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMDMwMH0.MyR-NX5mRoq2-nyZG4MAUXR1U0yVCwHf62FRggaOVrN4vKz_y3VaFvDi3lYuYBZEd\#
        GtO6D3NSIN_3UrCjG7WXTkNKTfwESTCBCPERPf3yzOoykggZefBrOen6pe5gjvNX4nRLYzD212V8mxpiiTqmFqySQV9awfFzrZui1-aN0k\#
        UQXq7Vl8fQy7-2UO1O-vAn_gtvkMvUBmHbBkhXUPTkKb47LkH6Gbsm7iB_VfVDIEL7yFSGC-tj7yWIYmmNxeUy5U7OhYGizlNb199uBl9B\#
        wjjUu8hjnPrtFaOHipqU5rWT2wpYNgW6bBkBnGOVmnyOEU8FDfXIXegCeteAkpKhw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK\#
        0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj\#
        81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiBy\#
        uwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSF\#
        hewwtySxTb_PC9_KDw","e":"AQAB","kid":"issuer-1"}}],"algorithms":["RS256"]}},
        {"name":"es256","title":"by a key on P-256","proves":["KEY-1"],"clause":null,"given":{"text":"eyJhbGciOiJF\#
        UzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci\#
        0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMDMwMH0.tHyov73f\#
        Bcshyh8kdClcOhpdgMlGCsoDoWVVk3kdm3_qKFPPliA_CjDZpeBLyNXDBvCVuClWtSAqNT8PG7_NFw","keys":[{"jwk":{"kty":"EC"\#
        ,"crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M","y":"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThp\#
        NDo0z7Q","kid":"issuer-1"}}],"algorithms":["ES256"]}},
        {"name":"rsa-not-listed","title":"by RS256, which the reader does not list","proves":["KEY-8"],"clause":"R\#
        FC8725-3.1","given":{"text":"eyJhbGciOiJSUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwc\#
        zovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDA\#
        wMDAwMDAsImV4cCI6MTgwMDAwMDMwMH0.MyR-NX5mRoq2-nyZG4MAUXR1U0yVCwHf62FRggaOVrN4vKz_y3VaFvDi3lYuYBZEdGtO6D3NS\#
        IN_3UrCjG7WXTkNKTfwESTCBCPERPf3yzOoykggZefBrOen6pe5gjvNX4nRLYzD212V8mxpiiTqmFqySQV9awfFzrZui1-aN0kUQXq7Vl8\#
        fQy7-2UO1O-vAn_gtvkMvUBmHbBkhXUPTkKb47LkH6Gbsm7iB_VfVDIEL7yFSGC-tj7yWIYmmNxeUy5U7OhYGizlNb199uBl9BwjjUu8hj\#
        nPrtFaOHipqU5rWT2wpYNgW6bBkBnGOVmnyOEU8FDfXIXegCeteAkpKhw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRi\#
        PcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP8\#
        6Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmY\#
        bXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySx\#
        Tb_PC9_KDw","e":"AQAB","kid":"issuer-1"}}],"algorithms":["PS256"]}},
        {"name":"rsa-other-alg","title":"by RS256, with a key that is for PS256","proves":["KEY-8"],"clause":"RFC8\#
        725-3.1","given":{"text":"eyJhbGciOiJSUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczov\#
        L2lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMD\#
        AwMDAsImV4cCI6MTgwMDAwMDMwMH0.MyR-NX5mRoq2-nyZG4MAUXR1U0yVCwHf62FRggaOVrN4vKz_y3VaFvDi3lYuYBZEdGtO6D3NSIN_\#
        3UrCjG7WXTkNKTfwESTCBCPERPf3yzOoykggZefBrOen6pe5gjvNX4nRLYzD212V8mxpiiTqmFqySQV9awfFzrZui1-aN0kUQXq7Vl8fQy\#
        7-2UO1O-vAn_gtvkMvUBmHbBkhXUPTkKb47LkH6Gbsm7iB_VfVDIEL7yFSGC-tj7yWIYmmNxeUy5U7OhYGizlNb199uBl9BwjjUu8hjnPr\#
        tFaOHipqU5rWT2wpYNgW6bBkBnGOVmnyOEU8FDfXIXegCeteAkpKhw","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcm\#
        Shxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Ep\#
        ewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQ\#
        F9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_\#
        PC9_KDw","e":"AQAB","kid":"issuer-1","alg":"PS256"}}],"algorithms":["RS256","PS256"]}},
        {"name":"rsa-switched","title":"by RS256, under the name of PS256","proves":["KEY-8"],"clause":"RFC7515-5.\#
        2","given":{"text":"eyJhbGciOiJQUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3\#
        Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAs\#
        ImV4cCI6MTgwMDAwMDMwMH0.MN-BViSOUkFoW-S5VAUzIczXmYDleLEXia2uvoHPA2yHPb6SiU0gCqRDC38ePNWdMQNunN4AXzJm2ONJ-j\#
        WbLNK7lvqrsb9Lk2keb3WXdD594Od9LFcxcBqHtWkVhZuJX3d3fw-6JAqd45Xue-cDwqOopxT8lNI166-vCPiI29EnS77Uh6olOxXaaGA5\#
        HR4akCs-67VXT7Eh0nJdfKn8TnHTEPTvp0T0X_WB9bATkrw8IpGndt4pcJ7oviCZuDUpA_bj-q60zRmqSw1pSUtnIxNPaOcbSVgrv3d_vH\#
        PTSb8EXpe7PPKKm97US4sbmFoJGhffz9sgbfs4NP2xuQ21BQ","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21\#
        F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df\#
        3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3\#
        dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KD\#
        w","e":"AQAB","kid":"issuer-1"}}],"algorithms":["RS256","PS256"]}},
        {"name":"rsa-other-hash","title":"by RS256, under the name of RS512","proves":["KEY-8"],"clause":"RFC7515-\#
        5.2","given":{"text":"eyJhbGciOiJSUzUxMiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lz\#
        c3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMD\#
        AsImV4cCI6MTgwMDAwMDMwMH0.d9ioUh2i30bR7Em1BiwN3-AU1avLA88wKvO8k4EDnrQHDdOV-Bx98ZX4Y4UcUw827rtN4kb_PIhcx4rI\#
        sX17kGHoOK1Sno_7Xn4_c6z2YYvBJvz0C935kd9Lm4A8_yMdhMn7-_9bN08PEErF3VqP9WaJloBUDaAKfjtTNKWL1U-FyctQ3K1wFoUke6\#
        fC0hS3r4ZuSb_ZWy6xWFOcjAgIwDvXv5IcHiK_SR3Aw0iUIKJTwSfUjqZOVj8MBtmQPXJMEJ8Oj7A-GgLuyAFpX6QS7AIBaBnVyldI_vpp\#
        QPatoX_q6teR1IpnGvOsEKysx6w6NMVclWOAWohOXnscoemRPg","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv\#
        21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1\#
        Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wz\#
        Z3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_\#
        KDw","e":"AQAB","kid":"issuer-1"}}],"algorithms":["RS256","RS512"]}},
        {"name":"rsa-as-curve","title":"by RS256, under the name of ES256","proves":["KEY-8"],"clause":"RFC8725-3.\#
        1","given":{"text":"eyJhbGciOiJFUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3\#
        Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAs\#
        ImV4cCI6MTgwMDAwMDMwMH0.JYmbzIsjyPoXHIpVAlrlshmGpXdvYop7oR3rq00-yRNy2SspKAFKqCMkyq6cbiiEUrraqyOY36xXGeY-yz\#
        7Cs2afZezdoL-SfhEs0T9r395aTuQVqj0nBKtXJnYOSq8lOPqor7z_EyvwFjUp4ESKP1WbH9sJB_v7XorgmF22iVyTwryNDfxegpQl4VkV\#
        FAz-GiIWypKvYk-gtcNbKso_Nf83-dAWGnswIrHQO0rU9lbZd_w5QyQU9xttLJRswUua6B2HckLAY2h0dpaR6EurQ4jRi8uACLjbrtrxUS\#
        XZXT2IJkHusHqZLtoL4MrbxVmfXJb60aE6xTEC1yPuqG2k9Q","keys":[{"jwk":{"kty":"RSA","n":"x2mNBK0LlVLFRiPcmShxv21\#
        F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df\#
        3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3\#
        dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KD\#
        w","e":"AQAB","kid":"issuer-1"}}],"algorithms":["RS256","ES256"]}},
        {"name":"curve-as-rsa","title":"on P-256, under the name of RS256","proves":["KEY-8"],"clause":"RFC8725-3.\#
        1","given":{"text":"eyJhbGciOiJSUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3\#
        Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAs\#
        ImV4cCI6MTgwMDAwMDMwMH0.mmfQ1z8KCVUZ6fx557F3ywZOjzoxzrMukUDSjqsPLtNF50qF7ejcqmAXybbUBY6zCMadRz_GFq1kkjoahE\#
        pKlg","keys":[{"jwk":{"kty":"EC","crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M","y":"ZOiz\#
        r7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q","kid":"issuer-1"}}],"algorithms":["RS256","ES256"]}},
        {"name":"curve-as-edwards","title":"on P-256, under the name of EdDSA","proves":["KEY-8"],"clause":"RFC872\#
        5-3.1","given":{"text":"eyJhbGciOiJFZERTQSIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2\#
        lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAw\#
        MDAsImV4cCI6MTgwMDAwMDMwMH0.K-lFErhOhSE_wWJOWEaS-8Yzp72wtb2JnhB1L3L8nUa6GtzD5lPSE9C0FYjsu728xz5tDva6UYlq0R\#
        1jYyerYg","keys":[{"jwk":{"kty":"EC","crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M","y":"\#
        ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q","kid":"issuer-1"}}],"algorithms":["EdDSA","ES256"]}},
        {"name":"curve-as-secret","title":"under HS256, with the point of P-256 as the secret","proves":["KEY-8","\#
        threat-3"],"clause":"RFC8725-3.1","given":{"text":"eyJhbGciOiJIUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSld\#
        UIn0.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZ\#
        S9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsImV4cCI6MTgwMDAwMDMwMH0.9fRacOxvrcVvs0EsHcbD-zcm8wRGlL31hRyazgd2QiU","keys"\#
        :[{"jwk":{"kty":"EC","crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M","y":"ZOizr7qeDIpXVuBy\#
        YRK_gynlugSCGRdxyThpNDo0z7Q","kid":"issuer-1"}}],"algorithms":["HS256","ES256"]}},
        {"name":"curve-other","title":"on P-256, under the name of ES384","proves":["KEY-8"],"clause":"RFC8725-3.1\#
        ","given":{"text":"eyJhbGciOiJFUzM4NCIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3V\#
        lci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAsI\#
        mV4cCI6MTgwMDAwMDMwMH0.hmBbeHJN7NZ0gtKONEDOnBnoMGL7majCa_eQj4jgLF_LL1Zm9_chpjHRUt17E_b2A9UWtLhVCpbKh8EPYBU\#
        yBA","keys":[{"jwk":{"kty":"EC","crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M","y":"ZOizr\#
        7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q","kid":"issuer-1"}}],"algorithms":["ES256","ES384"]}},
        {"name":"curve-der","title":"on P-256, with the signature in DER","proves":["KEY-22"],"clause":"RFC7515-5.\#
        2","given":{"text":"eyJhbGciOiJFUzI1NiIsImtpZCI6Imlzc3Vlci0xIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lzc3\#
        Vlci5leGFtcGxlIiwic3ViIjoidXNlci0xIiwiYXVkIjoiaHR0cHM6Ly9yZWFkZXIuZXhhbXBsZS9hcGkiLCJpYXQiOjE4MDAwMDAwMDAs\#
        ImV4cCI6MTgwMDAwMDMwMH0.MEYCIQC0fKi_vd8FyyHKHyR0KVw6Gl2AyUYKygOhZVWTeR2bfwIhAOooU8-WID8KMNml4EvI1cMG8JW4KV\#
        a1ICo1Pw8bv80X","keys":[{"jwk":{"kty":"EC","crv":"P-256","x":"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M"\#
        ,"y":"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q","kid":"issuer-1"}}],"algorithms":["ES256"]}}]
        """#
}
